import packageFile from "../../package.json" with { type: "json" };
import { expect, inject, test } from "vitest";
import { getHealth } from "../../lib/contract/service.ts";
import { listTraceMetrics } from "../../lib/contract/metrics/metric-lists.ts";
import { createTrace, getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { bearerClient, clientWith, newProject } from "../support/service/client.ts";
import { expectStatus } from "../support/reply-shape.ts";

const service = inject("service");

test("the health check is public, with any credential or none, and reports the build", async () => {
  const replies = await Promise.all(
    [{}, { "X-API-Key": "nonsense" }, { Authorization: "Bearer nonsense" }].map((headers) =>
      clientWith(service, headers).call(getHealth),
    ),
  );

  const commit = expect.stringMatching(/^(?:[0-9a-f]{40}(?:-dirty)?|unknown)$/u) as string;
  for (const reply of replies)
    expect(reply).toMatchObject({ status: 200, body: { status: "healthy", version: packageFile.version, commit } });
});

test("trace metrics are listed by name, without loop_detection and the session metrics", async () => {
  const metrics = await newProject(service).answer(listTraceMetrics);
  const names = metrics.map(({ name }) => name);

  expect(names).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(["task_completion", "tool_correctness"]));
  expect(names).not.toContain("loop_detection");
  expect(names).not.toContain("agent_reliability");
});

test("a well-formed X-Request-ID is returned", async () => {
  const client = newProject(service);
  const requestIds = ["a", "A-b_c.1", "x".repeat(128)];
  const replies = await Promise.all(
    requestIds.map((id) => client.call(listTraces, { headers: { "X-Request-ID": id } })),
  );

  expect(replies.map(({ headers }) => headers["x-request-id"])).toEqual(requestIds);
});

test("a malformed X-Request-ID is replaced", async () => {
  const client = newProject(service);
  const requestIds = ["x".repeat(129), "a b", "<script>", "é", ""];
  const replies = await Promise.all(
    requestIds.map((id) => client.call(listTraces, { headers: { "X-Request-ID": id } })),
  );

  for (const { headers } of replies) expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("a project is created once when many requests name it for the first time", async () => {
  const client = newProject(service);
  const bodies = Array.from({ length: 30 }, (_, index) => ({ name: `${index}`, started_at: "2026-10-01" }));
  const createdTraces = await Promise.all(bodies.map((body) => client.answer(createTrace, { body })));
  const traces = await Promise.all(
    createdTraces.map((params) => client.answer(getTrace, { params: { trace_id: params.trace_id } })),
  );
  const { items } = await client.answer(listTraces);

  expect(new Set(traces.map(({ project_id }) => project_id)).size).toBe(1);
  expect(items).toHaveLength(30);
});

test("project names are case-sensitive, and surrounding blanks are ignored", async () => {
  const client = newProject(service);
  const name = String(client.headers["X-Project-Name"]);
  await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const traceCount = async (projectName: string) =>
    (await client.answer(listTraces, { headers: { "X-Project-Name": projectName } })).items.length;

  expect(await traceCount(name)).toBe(1);
  expect(await traceCount(` ${name} `)).toBe(1);
  expect(await traceCount(name.toUpperCase())).toBe(0);
});

test("a user can read by project id the data that a key wrote by project name, in any case of the id", async () => {
  const client = newProject(service);
  const { trace_id } = await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const { project_id } = await client.answer(getTrace, { params: { trace_id } });

  const trace = await bearerClient(service, project_id.toUpperCase()).answer(getTrace, { params: { trace_id } });
  const stranger = await bearerClient(service, project_id, service.stranger).call(getTrace, { params: { trace_id } });

  expect(trace).toMatchObject({ trace_id, project_id });
  expectStatus(stranger, 404);
});

test("the scheme of a bearer token is case-insensitive", async () => {
  const { Authorization, ...otherHeaders } = bearerClient(service, service.tenant.projectId).headers;
  const token = String(Authorization).slice("Bearer ".length);
  const replies = await Promise.all(
    ["bearer", "BEARER", "bEaReR"].map((scheme) =>
      clientWith(service, { ...otherHeaders, Authorization: `${scheme} ${token}` }).call(listTraces),
    ),
  );

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
});
