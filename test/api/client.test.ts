import { randomUUID } from "node:crypto";
import { expect, inject, onTestFinished, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { InvalidRequestError, NotFoundError, UnauthorizedError } from "../../lib/client/errors.ts";
import { operations } from "../../lib/client/operations.ts";
import { startBreakingProxy } from "../support/service/breaking-proxy.ts";

const service = inject("service");
const { apiKey, bearerToken } = service.tenant;
const projectName = `client-${randomUUID().slice(0, 8)}`;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const user = createClient({ baseUrl: service.baseUrl, credentials: { token: () => bearerToken } });

test("the client sends, lists, reads, updates, scores and deletes a trace", async () => {
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const { trace_id } = await client.createTrace({ body: { name, started_at: "2026-11-20T09:00:00Z" } });
    ids.push(trace_id);
  }
  const [id = ""] = ids;

  const listedIds: string[] = [];
  for await (const { trace_id } of client.each.listTraces({ query: { limit: 2 } })) listedIds.push(trace_id);
  await client.updateTrace({ path: { trace_id: id }, body: { tags: ["seen"] } });
  const score = await client.createTraceScore({ body: { trace_id: id, name: "taste", value: "0.5" } });
  const trace = await client.getTrace({ path: { trace_id: id } });
  await client.deleteTrace({ path: { trace_id: id } });

  expect(listedIds.toSorted()).toEqual(ids.toSorted());
  expect(score).toMatchObject({ trace_id: id, name: "taste" });
  expect(trace).toMatchObject({ name: "one", tags: ["seen"] });
  await expect(client.getTrace({ path: { trace_id: id } })).rejects.toThrow(NotFoundError);
});

test("the same idempotency key creates one run, and a dry run none", async () => {
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

test("a run whose reply is lost is requested again after Retry-After, and created once", async () => {
  const keys: unknown[] = [];
  const { url, close } = await startBreakingProxy(service.baseUrl, ({ method, headers }, reply) => {
    if (method === "POST") keys.push(headers["idempotency-key"]);
    const lost = { ...reply, status: keys.length === 1 ? 429 : 503, body: Buffer.from('{"detail":"Busy."}') };
    return method === "POST" && keys.length < 3 ? { ...lost, headers: { "retry-after": "0" } } : reply;
  });
  onTestFinished(close);
  const lossyClient = createClient({ baseUrl: url, credentials: { apiKey, projectName } });

  const { id } = await lossyClient.createTraceRun({ body: { name: "lost", metrics: ["task_completion"] } });
  const runIds: string[] = [];
  for await (const run of client.each.listTraceRuns()) if (run.name === "lost") runIds.push(run.id);

  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  expect(runIds).toEqual([id]);
});

test("a list that is read while traces arrive has every earlier trace once", async () => {
  const place = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName: `${projectName}-list` } });
  const store = async (day: number) =>
    (await place.createTrace({ body: { name: "listed", started_at: `2026-11-1${day}T09:00:00Z` } })).trace_id;
  const ids = [await store(1), await store(2), await store(3), await store(4), await store(5)];

  const listedIds: string[] = [];
  for await (const { trace_id } of place.each.listTraces({ query: { limit: 2 } })) {
    listedIds.push(trace_id);
    // Newest first: the new trace is before everything that was read.
    if (listedIds.length === 1) await store(9);
  }

  expect(listedIds).toEqual(ids.toReversed());
});

test("an error has a class, a status, a request id and the problem of each field", async () => {
  const stranger = createClient({ baseUrl: service.baseUrl, credentials: { apiKey: "sk_as_no", projectName } });

  const error = await client
    // @ts-expect-error -- a run needs metrics
    .createTraceRun({ body: {} })
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(InvalidRequestError);
  expect(error).toMatchObject({
    status: 422,
    code: "validation_error",
    requestId: expect.stringMatching(/./u),
    problems: [{ field: "metrics" }],
  });
  await expect(stranger.listTraces()).rejects.toThrow(UnauthorizedError);
});

test("management routes are called with a token", async () => {
  const me = await user.getMe();
  const organizations: string[] = [];
  for await (const { id } of user.each.listOrganizations()) organizations.push(id);

  expect(me.email).toContain("@");
  expect(organizations.length).toBeGreaterThan(0);
});

test("every operation of the client has a route of the service", async () => {
  const answers = await Promise.all(
    Object.values(operations).map(async ([method, path]) => {
      const { status } = await fetch(`${service.baseUrl}${path.replaceAll(/\{\w+\}/gu, randomUUID())}`, { method });
      return [`${method} ${path}`, status] as const;
    }),
  );

  // Without a credential: an unknown route would be 404 or 405.
  expect(answers.filter(([, status]) => status === 404 || status === 405)).toEqual([]);
});
