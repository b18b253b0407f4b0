import { expect, inject, test } from "vitest";
import { getHealth } from "../../lib/contract/service.ts";
import { listTraceMetrics } from "../../lib/contract/metrics/trace-metrics.ts";
import { createTrace, getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import { bearerClient, clientWith, newProject } from "../support/service/client.ts";
import { expectStatus } from "../support/reply-shape.ts";

const service = inject("service");

test("anyone may ask whether the service answers, with any credential or none", async () => {
  const replies = await Promise.all(
    [{}, { "X-API-Key": "nonsense" }, { Authorization: "Bearer nonsense" }].map((headers) =>
      clientWith(service, headers).call(getHealth),
    ),
  );

  for (const reply of replies)
    expect(reply).toMatchObject({ status: 200, body: { status: "healthy", version: "0.1.0" } });
});

test("the metrics for traces are listed by name, loop_detection and the session metrics not among them", async () => {
  const metrics = await newProject(service).answer(listTraceMetrics);
  const names = metrics.map(({ name }) => name);

  expect(names).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(["task_completion", "tool_correctness"]));
  expect(names).not.toContain("loop_detection");
  expect(names).not.toContain("agent_reliability");
});

test("the request id of the caller comes back where it is well formed", async () => {
  const client = newProject(service);
  const sent = ["a", "A-b_c.1", "x".repeat(128)];
  const replies = await Promise.all(sent.map((id) => client.call(listTraces, { headers: { "X-Request-ID": id } })));

  expect(replies.map(({ headers }) => headers["x-request-id"])).toEqual(sent);
});

test("a request id of another form is replaced", async () => {
  const client = newProject(service);
  const sent = ["x".repeat(129), "a b", "<script>", "é", ""];
  const replies = await Promise.all(sent.map((id) => client.call(listTraces, { headers: { "X-Request-ID": id } })));

  for (const { headers } of replies) expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test("a project that a key names for the first time is made once, whoever asks first", async () => {
  const client = newProject(service);
  const bodies = Array.from({ length: 30 }, (_, index) => ({ name: `${index}`, started_at: "2026-10-01" }));
  const made = await Promise.all(bodies.map((body) => client.answer(createTrace, { body })));
  const traces = await Promise.all(
    made.map((params) => client.answer(getTrace, { params: { trace_id: params.trace_id } })),
  );
  const { items } = await client.answer(listTraces);

  expect(new Set(traces.map(({ project_id }) => project_id)).size).toBe(1);
  expect(items).toHaveLength(30);
});

test("the names of projects differ in case, and blanks at their ends do not count", async () => {
  const client = newProject(service);
  const name = String(client.headers["X-Project-Name"]);
  await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const seen = async (other: string) =>
    (await client.answer(listTraces, { headers: { "X-Project-Name": other } })).items.length;

  expect(await seen(name)).toBe(1);
  expect(await seen(` ${name} `)).toBe(1);
  expect(await seen(name.toUpperCase())).toBe(0);
});

test("a user reaches by id what a key made by name, in any case of the id", async () => {
  const client = newProject(service);
  const { trace_id } = await client.answer(createTrace, { body: { name: "x", started_at: "2026-10-01" } });
  const { project_id } = await client.answer(getTrace, { params: { trace_id } });

  const found = await bearerClient(service, project_id.toUpperCase()).answer(getTrace, { params: { trace_id } });
  const stranger = await bearerClient(service, project_id, service.stranger).call(getTrace, { params: { trace_id } });

  expect(found).toMatchObject({ trace_id, project_id });
  expectStatus(stranger, 404);
});

test("the scheme of a bearer token is read in any case", async () => {
  const { Authorization, ...rest } = bearerClient(service, service.tenant.projectId).headers;
  const token = String(Authorization).slice("Bearer ".length);
  const replies = await Promise.all(
    ["bearer", "BEARER", "bEaReR"].map((scheme) =>
      clientWith(service, { ...rest, Authorization: `${scheme} ${token}` }).call(listTraces),
    ),
  );

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
});
