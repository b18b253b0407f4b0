import { beforeAll, expect, inject, test } from "vitest";
import {
  createCustomMetric,
  getCustomMetric,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { listSessionMetrics } from "../../../lib/contract/metrics/session-metrics.ts";
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
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const client = newProject(inject("service"));

const fold = (name: string, over: string, by: string, below?: number) => ({
  name,
  kind: "fold",
  target_type: "SESSION",
  description: "Evaluates how the traces of a session did together.",
  fold: { over, by, ...(below !== undefined && { below }) },
});

const stored = async (session_id: string, second: number, given: object = {}): Promise<string> =>
  (
    await client.answer(createTrace, {
      body: someTrace({ session_id, started_at: `2026-10-01T10:00:0${second}Z`, ...given }),
    })
  ).trace_id;

const scored = (trace_id: string, name: string, value: string, given: object = {}) =>
  client.answer(createTraceScore, { body: { trace_id, name, value, ...given } });

/** The scores of a run of sessions once it has ended, by their name. */
const scoresOf = async (made: EvalRun) => {
  const run = await endedRun(client, made);
  const { items } = await client.page(listSessionRunScores, { params: { run_id: run.id } });
  return { run, of: (name: string) => items.find((score) => score.name === name) };
};

const runOf = (session: string, metrics: readonly string[]) =>
  client.answer(createSessionBatchRun, { body: { session_ids: [session], metrics } });

beforeAll(async () => {
  const made = [
    fold("lowest", "by_hand", "min"),
    fold("average", "by_hand", "mean"),
    fold("quick_enough", "quick", "share_below", 1),
    fold("sure", "confidence", "min"),
  ];
  for (const body of made) await client.answer(createCustomMetric, { body });
  await client.answer(createCustomMetric, {
    body: {
      name: "quick",
      kind: "check",
      description: "Evaluates whether a trace is quick.",
      check: { type: "latency_ms", max: 5000 },
    },
  });
});

test("folds make one score of each session of scores by people, programs and checks, and say which scores those are", async () => {
  const [slow, quick] = [
    await stored("chat", 1, { ended_at: "2026-10-01T10:01:00Z" }),
    await stored("chat", 2, { ended_at: "2026-10-01T10:00:03Z" }),
  ];
  await endedRun(client, await client.answer(createTraceRun, { body: { metrics: ["quick"] } }));
  const low = await scored(slow, "by_hand", "0.25");
  const high = await scored(quick, "by_hand", "0.8", { source: "PROGRAMMATIC" });
  const { run, of } = await scoresOf(await runOf("chat", ["lowest", "average", "quick_enough"]));

  expect(run).toMatchObject({
    status: "COMPLETED",
    metric_names: ["lowest@1", "average@1", "quick_enough@1"],
    judge_usage: { calls: 0, cost_usd: 0 },
  });
  expect(of("lowest")).toMatchObject({
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
  expect(of("average")).toMatchObject({ value: "0.525", metadata: { success: true } });
  expect(of("quick_enough")).toMatchObject({
    value: "0.5",
    signals: [
      { trace_id: slow, value: 0, source: "AUTOMATED", model: "assay/quick" },
      { trace_id: quick, value: 1, source: "AUTOMATED", model: "assay/quick" },
    ],
  });
  expect((await client.page(listSessionScores, { query: { name: "lowest" } })).items.map(({ id }) => id)).toContain(
    of("lowest")?.id,
  );
});

test("what was said of a trace before it changed is left out, unless a person said it", async () => {
  const [told, changed] = [await stored("moved", 1), await stored("moved", 2)];
  await scored(told, "by_hand", "0.9", { source: "ANNOTATION" });
  await scored(changed, "by_hand", "0.1", { source: "PROGRAMMATIC" });
  for (const trace_id of [told, changed]) {
    await client.answer(updateTrace, { params: { trace_id }, body: { output: "Something else." } });
  }
  const { of } = await scoresOf(await runOf("moved", ["average"]));

  expect(of("average")).toMatchObject({
    value: "0.9",
    reason: "1 of 2 traces has a score of by_hand; the score is their mean.",
    signals: [{ trace_id: told }],
  });
});

test("a session without a usable score fails with a code, and a retry folds what has come since", async () => {
  const trace = await stored("open", 1);
  await scored(trace, "by_hand", "7");
  const { run, of } = await scoresOf(await runOf("open", ["lowest"]));
  await scored(trace, "by_hand", "0.5");
  const again = await scoresOf(await client.answer(retrySessionRun, { params: { run_id: run.id } }));

  expect(of("lowest")).toMatchObject({
    status: "FAILED",
    value: null,
    reason: "None of the session's traces has a usable score of by_hand.",
    metadata: { code: "no_signals", metric_version: 1 },
  });
  expect(again.run.metric_names).toEqual(["lowest@1"]);
  expect(again.of("lowest")).toMatchObject({ value: "0.5", status: "SUCCESS" });
});

test("a fold beside a built-in metric takes what the run itself computes, in the same run", async () => {
  await stored("both", 1);
  const { of } = await scoresOf(await runOf("both", ["sure", "agent_reliability"]));
  const lowest = Number(of("sure")?.value);

  expect(of("agent_reliability")?.signals).toContainEqual(
    expect.objectContaining({ name: "confidence", value: lowest }),
  );
  expect(of("sure")?.signals).toMatchObject([{ name: "confidence", value: lowest, model: "offline/rules" }]);
});

test("folds are listed, tried out for nothing, watched by monitors and changed like any metric of one's own", async () => {
  const dry = await client.call(createSessionRun, {
    body: { metrics: ["lowest", "average"], model: "openai/unheard-of" },
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

test("a dry run counts a judged metric of one's own once for a session, however many traces it has, and a fold not at all", async () => {
  const calm = { name: "calm", target_type: "SESSION", description: "Evaluates whether the agent stayed calm." };
  await client.answer(createCustomMetric, { body: calm });
  for (const second of [1, 2, 3]) await stored("counted", second);
  const callsOf = async (metrics: readonly string[]): Promise<number> => {
    const body = { session_ids: ["counted"], metrics };
    const { text } = await client.call(createSessionBatchRun, { body, query: { dry_run: "true" } });
    return JSON.parse(text).judge_calls;
  };
  const [reckoned, judged, all] = [
    await callsOf(["agent_reliability"]),
    await callsOf(["calm"]),
    await callsOf(["agent_reliability", "calm", "lowest"]),
  ];

  expect([judged, all - reckoned]).toEqual([1, 1]);
  expect(reckoned).toBeGreaterThan(3);
});

test("runs of folds and of checks alone need no judge", async () => {
  const trace = await stored("alone", 1, { ended_at: "2026-10-01T10:00:03Z" });
  await scored(trace, "by_hand", "1");
  const model = "vertex_ai/nowhere";
  const session = await client.answer(createSessionBatchRun, {
    body: { session_ids: ["alone"], metrics: ["average"], model },
  });
  const checked = await client.answer(createTraceRun, { body: { metrics: ["quick"], model } });
  const judged = await client.answer(createTraceRun, { body: { metrics: ["quick", "confidence"], model } });

  expect((await scoresOf(session)).of("average")).toMatchObject({ value: "1.0" });
  await Promise.all([checked, judged].map((each) => endedRun(client, each)));
  const statusOf = async ({ id }: EvalRun) => (await client.answer(getTraceRun, { params: { run_id: id } })).status;
  expect([await statusOf(checked), await statusOf(judged)]).toEqual(["COMPLETED", "FAILED"]);
});

const refusals: [string, object, string[]][] = [
  ["is of traces", { target_type: "TRACE" }, ["body.target_type"]],
  ["says not how", { fold: { over: "polite" } }, ["body.fold.by"]],
  [
    "is over one version, of which no score has the name",
    { fold: { over: "polite@1", by: "min" } },
    ["body.fold.over"],
  ],
  ["has statements", { statements: [{ text: "Is it?" }] }, ["body.statements"]],
];

test.each(refusals)("a fold that %s is refused", async (_, given, places) => {
  const body = { ...fold("wrong", "polite", "min"), ...given };

  expect(problems(await client.call(createCustomMetric, { body }))).toEqual(places);
});
