import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { InvalidRequestError, NotFoundError, UnauthorizedError } from "../../lib/client/errors.ts";
import { operations } from "../../lib/client/operations.ts";

const service = inject("service");
const { apiKey, bearerToken } = service.tenant;
const projectName = `client-${randomUUID().slice(0, 8)}`;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const user = createClient({ baseUrl: service.baseUrl, credentials: { token: () => bearerToken } });

test("a program sends, lists, reads, changes, scores and deletes a trace without a word of HTTP", async () => {
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const { trace_id } = await client.createTrace({ body: { name, started_at: "2026-11-20T09:00:00Z" } });
    ids.push(trace_id);
  }
  const [id = ""] = ids;

  const listed: string[] = [];
  for await (const { trace_id } of client.each.listTraces({ query: { limit: 2 } })) listed.push(trace_id);
  await client.updateTrace({ path: { trace_id: id }, body: { tags: ["seen"] } });
  const score = await client.createTraceScore({ body: { trace_id: id, name: "taste", value: "0.5" } });
  const read = await client.getTrace({ path: { trace_id: id } });
  await client.deleteTrace({ path: { trace_id: id } });

  expect(listed.toSorted()).toEqual(ids.toSorted());
  expect(score).toMatchObject({ trace_id: id, name: "taste" });
  expect(read).toMatchObject({ name: "one", tags: ["seen"] });
  await expect(client.getTrace({ path: { trace_id: id } })).rejects.toThrow(NotFoundError);
});

test("the same key makes one run, and a dry run none", async () => {
  const body = { metrics: ["task_completion"] };
  const idempotencyKey = randomUUID();

  const estimate = await client.createTraceRun({ query: { dry_run: true }, body });
  const runs = [
    await client.createTraceRun({ body }, { idempotencyKey }),
    await client.createTraceRun({ body }, { idempotencyKey }),
  ];

  expect(estimate).toMatchObject({ targets: 2 });
  expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
});

test("a refusal has a class, a status, a request id and what is wrong with which field", async () => {
  const stranger = createClient({ baseUrl: service.baseUrl, credentials: { apiKey: "sk_as_no", projectName } });

  const error = await client
    // @ts-expect-error -- a run needs metrics
    .createTraceRun({ body: {} })
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error).toMatchObject({
    status: 422,
    requestId: expect.stringMatching(/./u),
    problems: [{ field: "metrics" }],
  });
  await expect(stranger.listTraces()).rejects.toThrow(UnauthorizedError);
});

test("what users manage is called with a token", async () => {
  const me = await user.getMe();
  const organizations: string[] = [];
  for await (const { id } of user.each.listOrganizations()) organizations.push(id);

  expect(me.email).toContain("@");
  expect(organizations.length).toBeGreaterThan(0);
});

test("every operation of the client leads to a route of the service", async () => {
  const answers = await Promise.all(
    Object.values(operations).map(async ([method, path]) => {
      const { status } = await fetch(`${service.baseUrl}${path.replaceAll(/\{\w+\}/gu, randomUUID())}`, { method });
      return [`${method} ${path}`, status] as const;
    }),
  );

  // Without a credential nothing is looked for: what no route answers is 404 or 405.
  expect(answers.filter(([, status]) => status === 404 || status === 405)).toEqual([]);
});
