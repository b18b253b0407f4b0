import { beforeAll, expect, inject, test } from "vitest";
import {
  createCustomMetric,
  getCustomMetric,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { listSessionMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { createMonitor, triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  listSessionRunScores,
  retrySessionRun,
} from "../../../lib/contract/runs/session-runs.ts";
import { createTraceRun, getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { problems } from "../../support/reply-shape.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const client = newProject(inject("service"));

const aggregate = (name: string, over: string, aggregation: string, below?: number) => ({
  name,
  kind: "fold",
  target_type: "SESSION",
  description: "Evaluates how the traces of a session did together.",
  fold: { over, by: aggregation, ...(below !== undefined && { below }) },
});

const storeTrace = async (session_id: string, second: number, fields: object = {}): Promise<string> =>
  (
    await client.answer(createTrace, {
      body: someTrace({ session_id, started_at: `2026-10-01T10:00:0${second}Z`, ...fields }),
    })
  ).trace_id;

const createScore = (trace_id: string, name: string, value: string, fields: object = {}) =>
  client.answer(createTraceScore, { body: { trace_id, name, value, ...fields } });

/** The run of sessions once it has ended, and a function that returns its score of a metric. */
const scoresOf = async (createdRun: EvalRun) => {
  const run = await endedRun(client, createdRun);
  const { items } = await client.page(listSessionRunScores, { params: { run_id: run.id } });
  return { run, scoreOf: (name: string) => items.find((score) => score.name === name) };
};

const runOf = (session: string, metrics: readonly string[]) =>
  client.answer(createSessionBatchRun, { body: { session_ids: [session], metrics } });

beforeAll(async () => {
  const metrics = [
    aggregate("lowest", "by_hand", "min"),
    aggregate("average", "by_hand", "mean"),
    aggregate("quick_enough", "quick", "share_below", 1),
    aggregate("sure", "confidence", "min"),
  ];
  for (const body of metrics) await client.answer(createCustomMetric, { body });
  await client.answer(createCustomMetric, {
    body: {
      name: "quick",
      kind: "check",
      description: "Evaluates whether a trace is quick.",
      check: { type: "latency_ms", max: 5000 },
    },
  });
});

test("aggregate metrics compute one score per session from scores by people, programs and checks, and list those scores", async () => {
  const [slow, quick] = [
    await storeTrace("chat", 1, { ended_at: "2026-10-01T10:01:00Z" }),
    await storeTrace("chat", 2, { ended_at: "2026-10-01T10:00:03Z" }),
  ];
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["quick"] } }));
  const low = await createScore(slow, "by_hand", "0.25");
  const high = await createScore(quick, "by_hand", "0.8", { source: "PROGRAMMATIC" });
  const { run, scoreOf } = await scoresOf(await runOf("chat", ["lowest", "average", "quick_enough"]));

  expect(run).toMatchObject({
    status: "COMPLETED",
    metric_names: ["lowest@1", "average@1", "quick_enough@1"],
    judge_usage: { calls: 0, cost_usd: 0 },
  });
  expect(scoreOf("lowest")).toMatchObject({
    value: "0.25",
    status: "SUCCESS",
    reason: `2 of 2 traces have a score of by_hand; the lowest is 0.25, of trace ${slow}.`,
    judge: { provider: "assay", model: "lowest" },
    metadata: { metric_version: 1, traces_in_session: 2, traces_scored: 2, success: false },
    session_version: expect.stringMatching(/^2-/u),
    signals: [
      { trace_id: slow, name: "by_hand", value: 0.25, score_id: low.id, source: "ANNOTATION", model: null },
      { trace_id: quick, name: "by_hand", value: 0.8, score_id: high.id, source: "PROGRAMMATIC", model: null },
    ],
  });
  expect(scoreOf("average")).toMatchObject({ value: "0.525", metadata: { success: true } });
  expect(scoreOf("quick_enough")).toMatchObject({
    value: "0.5",
    signals: [
      { trace_id: slow, value: 0, source: "AUTOMATED", model: "assay/quick" },
      { trace_id: quick, value: 1, source: "AUTOMATED", model: "assay/quick" },
    ],
  });
  expect((await client.page(listSessionScores, { query: { name: "lowest" } })).items.map(({ id }) => id)).toContain(
    scoreOf("lowest")?.id,
  );
});

test("scores of a trace that has changed since are ignored, unless a person gave them", async () => {
  const [annotated, changed] = [await storeTrace("moved", 1), await storeTrace("moved", 2)];
  await createScore(annotated, "by_hand", "0.9", { source: "ANNOTATION" });
  await createScore(changed, "by_hand", "0.1", { source: "PROGRAMMATIC" });
  for (const trace_id of [annotated, changed]) {
    await client.answer(updateTrace, { params: { trace_id }, body: { output: "Something else." } });
  }
  const { scoreOf } = await scoresOf(await runOf("moved", ["average"]));

  expect(scoreOf("average")).toMatchObject({
    value: "0.9",
    reason: "1 of 2 traces has a score of by_hand; the score is their mean.",
    signals: [{ trace_id: annotated }],
  });
});

test("a session without a usable score fails with an error code, and a retry uses newer scores", async () => {
  const trace = await storeTrace("open", 1);
  await createScore(trace, "by_hand", "7");
  const { run, scoreOf } = await scoresOf(await runOf("open", ["lowest"]));
  await createScore(trace, "by_hand", "0.5");
  const retryScores = await scoresOf(await client.answer(retrySessionRun, { params: { run_id: run.id } }));

  expect(scoreOf("lowest")).toMatchObject({
    status: "FAILED",
    value: null,
    reason: "None of the session's traces has a usable score of by_hand.",
    metadata: { code: "no_signals", metric_version: 1 },
  });
  expect(retryScores.run.metric_names).toEqual(["lowest@1"]);
  expect(retryScores.scoreOf("lowest")).toMatchObject({ value: "0.5", status: "SUCCESS" });
});

test("an aggregate metric beside a built-in metric uses the scores that the run itself computes", async () => {
  await storeTrace("both", 1);
  const { scoreOf } = await scoresOf(await runOf("both", ["sure", "agent_reliability"]));
  const lowest = Number(scoreOf("sure")?.value);

  expect(scoreOf("agent_reliability")?.signals).toContainEqual(
    expect.objectContaining({ name: "confidence", value: lowest }),
  );
  expect(scoreOf("sure")?.signals).toMatchObject([{ name: "confidence", value: lowest, model: "offline/rules" }]);
});

test("aggregate metrics are listed, estimated at no cost, monitored and changed like any custom metric", async () => {
  const dry = await client.call(createSessionRun, {
    body: { metrics: ["lowest", "average"], model: "custom/unheard-of" },
    query: { dry_run: "true" },
  });
  const watching = { name: "watch", target_type: "SESSION", metrics: ["lowest"], cadence: "weekly" };
  const monitor = await client.answer(createMonitor, { body: watching });
  const { id } = await client.answer(triggerMonitor, { params: { monitor_id: monitor.id } });
  const params = { metric_name: "lowest" };
  await client.answer(updateCustomMetric, { params, body: { fold: { over: "by_hand", by: "mean" } } });
  const changed = await client.answer(getCustomMetric, { params });

  expect([dry.status, dry.body]).toMatchObject([
    200,
    { judge_calls: 0, prompt_tokens: 0, cost_usd: 0, set_aside_usd: 0 },
  ]);
  expect((await client.answer(listSessionMetrics)).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["agent_reliability", "lowest", "average"]),
  );
  expect((await endedRun(client, { id, target_type: "SESSION" })).metric_names).toEqual(["lowest@1"]);
  expect(changed).toMatchObject({ version: 2, kind: "fold", rubric: null, definition: { fold: { by: "mean" } } });
});

test("an aggregate over a name that neither a score nor a metric of traces has gets a lint warning", async () => {
  const trace_id = await storeTrace("named", 1);
  await createScore(trace_id, "by_client", "0.5");
  const warningsOf = async (over: string) => {
    const reply = await client.call(createCustomMetric, {
      query: { dry_run: "true" },
      body: aggregate("any", over, "min"),
    });
    expect(reply.status).toBe(200);
    const { remarks } = reply.body as unknown as { remarks: { field: string[]; rule: string; message: string }[] };
    return remarks.map(({ field, rule, message }) => [rule, field.join("."), message]);
  };

  // Counters of scores lag their writes.
  expect(await eventually(async () => ((await warningsOf("by_client")).length === 0 ? true : undefined))).toBe(true);
  expect(await warningsOf("quick")).toEqual([]);
  expect(await warningsOf("task_completion")).toEqual([]);
  expect(await warningsOf("task_completed")).toEqual([
    ["unknown_score", "fold.over", expect.stringContaining('Did you mean "task_completion"?')],
  ]);
  expect(await warningsOf("lowest")).toEqual([["unknown_score", "fold.over", expect.any(String)]]);
});

test("an estimate counts a judged custom metric once for a session, however many traces it has, and an aggregate metric not at all", async () => {
  const calm = { name: "calm", target_type: "SESSION", description: "Evaluates whether the agent stayed calm." };
  await client.answer(createCustomMetric, { body: calm });
  for (const second of [1, 2, 3]) await storeTrace("counted", second);
  const callsOf = async (metrics: readonly string[]): Promise<number> => {
    const body = { session_ids: ["counted"], metrics };
    const { text } = await client.call(createSessionBatchRun, { body, query: { dry_run: "true" } });
    return JSON.parse(text).judge_calls;
  };
  const [builtInCalls, customCalls, allCalls] = [
    await callsOf(["agent_reliability"]),
    await callsOf(["calm"]),
    await callsOf(["agent_reliability", "calm", "lowest"]),
  ];

  expect([customCalls, allCalls - builtInCalls]).toEqual([1, 1]);
  expect(builtInCalls).toBeGreaterThan(3);
});

test("runs of aggregate metrics and checks alone need no judge", async () => {
  const trace = await storeTrace("alone", 1, { ended_at: "2026-10-01T10:00:03Z" });
  await createScore(trace, "by_hand", "1");
  const model = "custom/nowhere";
  const session = await client.answer(createSessionBatchRun, {
    body: { session_ids: ["alone"], metrics: ["average"], model },
  });
  const checked = await client.answer(createTraceRun, { body: { metrics: ["quick"], model } });
  const judged = await client.answer(createTraceRun, { body: { metrics: ["quick", "confidence"], model } });

  expect((await scoresOf(session)).scoreOf("average")).toMatchObject({ value: "1.0" });
  await Promise.all([checked, judged].map((each) => endedRun(client, each)));
  const statusOf = async ({ id }: EvalRun) => (await client.answer(getTraceRun, { params: { run_id: id } })).status;
  expect([await statusOf(checked), await statusOf(judged)]).toEqual(["COMPLETED", "FAILED"]);
});

const refusals: [string, object, string[]][] = [
  ["is of traces", { target_type: "TRACE" }, ["body.target_type"]],
  ["has no aggregation", { fold: { over: "polite" } }, ["body.fold.by"]],
  ["is over one version of a metric", { fold: { over: "polite@1", by: "min" } }, ["body.fold.over"]],
  ["has statements", { statements: [{ text: "Is it?" }] }, ["body.statements"]],
];

test.each(refusals)("an aggregate metric that %s is refused", async (_, fields, places) => {
  const body = { ...aggregate("wrong", "polite", "min"), ...fields };

  expect(problems(await client.call(createCustomMetric, { body }))).toEqual(places);
});
