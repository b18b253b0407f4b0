import { expect, inject, test } from "vitest";
import { createTraceRun, getTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createSessionRun } from "../../../../lib/contract/runs/session-runs.ts";
import { listProviders } from "../../../../lib/contract/metrics/providers.ts";
import { createTraceScore, getTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { deleteSession, getSession } from "../../../../lib/contract/sessions/sessions.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { createMonitor, getMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { problems } from "../../../support/reply-shape.ts";
import { newProject } from "../../../support/service/client.ts";

const service = inject("service");

test("a project that reads name for the first time is announced once", async () => {
  const client = newProject(service);
  const replies = [await client.call(listTraces), await client.call(listTraces)];

  expect(replies.map(({ headers }) => headers["x-project-created"])).toEqual(["true", undefined]);
});

test("a number is accepted in every spelling", async () => {
  const client = newProject(service);
  const bytes = '{"metrics":["task_completion"],"sampling_rate":1.0,"filters":{"min_cost":0.0,"max_tokens":1e2}}';
  const headers = { "Content-Type": "application/json" };
  const run = await client.call(createTraceRun, { bytes, headers });

  expect([run.status, run.text]).toEqual([202, expect.stringContaining('"sampling_rate":1,')]);
  expect(run.text).toContain('"filters":{"min_cost":0,"max_tokens":100}');
});

test("a session whose id is a word of a path, or has a slash, is read and deleted by the query parameter", async () => {
  const client = newProject(service);
  for (const session_id of ["analytics", "a/b", "-"])
    await client.answer(createTrace, { body: { name: session_id, session_id, started_at: "2026-10-01" } });
  const params = { session_id: "-" };
  const sessionIdOf = async (session_id: string) =>
    (await client.answer(getSession, { params, query: { id: session_id } })).session_id;

  expect([await sessionIdOf("analytics"), await sessionIdOf("a/b"), await sessionIdOf("-")]).toEqual([
    "analytics",
    "a/b",
    "-",
  ]);
  expect((await client.answer(getSession, { params })).session_id).toBe("-");
  const twice = await client.call(getSession, { params: { session_id: "a" }, query: { session_id: "b" } });
  expect([twice.status, problems(twice)]).toEqual([422, ["query.id"]]);
  expect(await client.answer(deleteSession, { params, query: { session_id: "analytics" } })).toEqual({ deleted: 1 });
  expect((await client.call(getSession, { params, query: { session_id: "analytics" } })).status).toBe(404);
  expect(await sessionIdOf("a/b")).toBe("a/b");
});

test("hints fit the deployment: locally they name the shell's variable", async () => {
  const providers = await newProject(service).answer(listProviders);

  expect(providers.find(({ key }) => key === "anthropic")?.message).toContain("environment variable ANTHROPIC_API_KEY");
  expect(JSON.stringify(providers)).not.toContain("SSM");
});

test("score values are accepted as text, number and boolean, and returned as text", async () => {
  const client = newProject(service);
  const { trace_id } = await client.answer(createTrace, { body: { name: "a", started_at: "2026-10-01" } });
  const scores = [
    { name: "a", value: 0.5 },
    { name: "b", value: true, data_type: "BOOLEAN" },
    { name: "c", value: "yes", data_type: "CATEGORICAL" },
  ];
  for (const score of scores) await client.answer(createTraceScore, { body: { trace_id, ...score } });

  const storedValues = async () =>
    (await client.answer(getTraceScores, { params: { score_id: trace_id } })).map(({ value }) => value);
  await expect.poll(storedValues, { timeout: 30_000 }).toEqual(["0.5", "true", "yes"]);
});

test("bodies accept both names of a range of starts, and date_from takes precedence", async () => {
  const client = newProject(service);
  for (const day of ["01", "11"])
    await client.answer(createTrace, { body: { name: day, session_id: day, started_at: `2026-10-${day}` } });
  const only = { started_after: "2026-10-10", started_before: "2026-10-12" };
  const run = await client.answer(createTraceRun, { body: { metrics: ["task_completion"], filters: only } });
  const both = await client.answer(createTraceRun, {
    body: { metrics: ["task_completion"], filters: { ...only, date_from: "2026-10-01" } },
  });
  const sessions = await client.answer(createSessionRun, { body: { metrics: ["agent_reliability"], filters: only } });
  const monitor = await client.answer(createMonitor, {
    body: { name: "m", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly", filters: only },
  });

  expect([run.total_traces, both.total_traces, sessions.total_traces]).toEqual([1, 2, 1]);
  const dates = { date_from: "2026-10-10", date_to: "2026-10-12" };
  expect((await client.answer(getTraceRun, { params: { run_id: run.id } })).filters).toEqual(dates);
  expect((await client.answer(getMonitor, { params: { monitor_id: monitor.id } })).filters).toEqual(dates);
});

test("the error about an unknown metric lists the known ones", async () => {
  const client = newProject(service);
  const { status, text } = await client.call(createTraceRun, { body: { metrics: ["task_completin"] } });

  expect(status).toBe(422);
  expect(text).toContain("Known are: ");
  expect(text).toContain("task_completion");
});
