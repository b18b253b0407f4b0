import { expect, inject, test } from "vitest";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { createTraceRun, getTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { problems } from "../../support/reply-shape.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

const someCheck = (name: string, check: object) => ({
  name,
  kind: "check",
  description: "Evaluates whether a refund is looked up before it is made, and made once.",
  check,
});

const spanId = (place: number): string => `6b1f0c4e-0000-4000-8000-00000000000${place}`;

const tools = (names: readonly string[]) =>
  names.map((name, place) => ({
    span_id: spanId(place),
    name,
    kind: "TOOL" as const,
    status: "OK" as const,
    started_at: `2026-11-21T09:00:0${place}Z`,
  }));

const once = {
  all: [
    { type: "tool_before", tool: "lookup", before: "refund" },
    { type: "tool_calls", tool: "refund", max: 1 },
    { type: "lacks", text: "as a language model" },
  ],
};

test("a check scores traces without a judge, and its score names the condition that failed and the span", async () => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someCheck("refunds_once", once) });
  const [right, twice] = await Promise.all(
    [
      ["lookup", "refund"],
      ["lookup", "refund", "refund"],
    ].map((names) => project.answer(createTrace, { body: { ...someTrace(), spans: tools(names) } })),
  );
  const run = await project.answer(createTraceRun, { body: { metrics: ["refunds_once"] } });
  await endedRun(project, run);
  const { items } = await project.page(listTraceRunScores, { params: { run_id: run.id } });
  const scoreOf = (trace: { trace_id: string } | undefined) => items.find(({ trace_id: id }) => id === trace?.trace_id);

  expect(scoreOf(right)).toMatchObject({
    name: "refunds_once",
    value: "1.0",
    status: "SUCCESS",
    metadata: { success: true },
  });
  expect(scoreOf(twice)).toMatchObject({
    value: "0.0",
    status: "SUCCESS",
    reason: `The check fails. all[1] fails: "refund" has at most 1 call; there are 2 (span ${spanId(2)}, "refund").`,
    evidence: [{ span_id: spanId(2), quote: null }],
    metadata: { cost_usd: 0, attempts: 0, success: false, metric_version: 1 },
    judge: { provider: "assay", model: "refunds_once" },
  });
  expect(await project.answer(getTraceRun, { params: { run_id: run.id } })).toMatchObject({
    status: "COMPLETED",
    judge_usage: { calls: 0, cost_usd: 0 },
  });
});

test("score filters with a version match the scores that this version of the metric gave", async () => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someCheck("refunds_once", once) });
  const { trace_id } = await project.answer(createTrace, { body: { ...someTrace(), spans: tools(["refund"]) } });
  await endedRun(project, await project.answer(createTraceRun, { body: { metrics: ["refunds_once"] } }));
  const matching = async (query: Record<string, string>) =>
    (await project.page(listTraces, { query })).items.map(({ trace_id: id }) => id);
  // The index of newest scores lags its writes.
  await eventually(async () => ((await matching({ score: "refunds_once<1" })).length === 1 ? true : undefined));

  expect(await matching({ score: "refunds_once@1<1" })).toEqual([trace_id]);
  expect(await matching({ score: "refunds_once@1>0" })).toEqual([]);
  expect(await matching({ score: "refunds_once@2<1" })).toEqual([]);
  expect(await matching({ no_score: "refunds_once@2" })).toEqual([trace_id]);
  expect(await matching({ no_score: "refunds_once@1" })).toEqual([]);
});

test("a crashed trace without output and spans passes no check", async () => {
  const project = newProject(service);
  const checks = [
    someCheck("no_apology", { type: "lacks", text: "as a language model" }),
    someCheck("few_errors", { type: "error_rate", max: 0.1 }),
    someCheck("answers", { type: "length", min: 1, absent: "fail" }),
  ];
  for (const body of checks) await project.answer(createCustomMetric, { body });
  const { output: _, ...crashed } = someTrace();
  await project.answer(createTrace, { body: { ...crashed, status: "ERROR", spans: [] } });
  const run = await project.answer(createTraceRun, { body: { metrics: checks.map(({ name }) => name) } });
  await endedRun(project, run);
  const { items } = await project.page(listTraceRunScores, { params: { run_id: run.id } });

  expect(items.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
    { name: "answers", value: "0.0", applicable: true, inapplicable_code: null, metadata: { success: false } },
    { name: "few_errors", value: "0.0", applicable: false, inapplicable_code: "no_spans", metadata: { success: null } },
    { name: "no_apology", value: "0.0", applicable: false, inapplicable_code: "empty_output" },
  ]);
});

test("a check of data that the trace does not have fails with a reason, and a retry evaluates it again", async () => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someCheck("quick", { type: "latency_ms", max: 1000 }) });
  const { ended_at: _, ...running } = someTrace();
  await project.answer(createTrace, { body: running });
  const run = await project.answer(createTraceRun, { body: { metrics: ["quick"] } });
  await endedRun(project, run);
  const { items } = await project.page(listTraceRunScores, { params: { run_id: run.id } });

  expect(items).toMatchObject([
    {
      status: "FAILED",
      value: null,
      reason: "The trace does not tell. condition is open: the latency is at most 1000 ms; the trace has not ended.",
      metadata: { code: "insufficient_evidence" },
    },
  ]);
});

test.each([
  ["an invalid pattern", { type: "matches", pattern: "(?=a)b" }, ["body", "check", "pattern"]],
  ["no condition", {}, ["body", "check"]],
  ["code", { type: "javascript", code: "1" }, ["body", "check", "type"]],
])("an invalid check is refused with the location of %s", async (_, check, loc) => {
  const { status, body } = await newProject(service).call(createCustomMetric, { body: someCheck("wrong", check) });

  expect(status).toBe(422);
  expect(body).toMatchObject({ detail: [{ loc }] });
});

test("a field of another kind of metric is refused, not ignored", async () => {
  const project = newProject(service);
  const { kind: _, ...unsaid } = someCheck("unsaid", once);
  const mixedMetric = { ...someCheck("judged", once), instructions: "Be strict.", statements: [{ text: "Is it?" }] };

  expect(problems(await project.call(createCustomMetric, { body: unsaid }))).toEqual(["body.check"]);
  expect(problems(await project.call(createCustomMetric, { body: mixedMetric }))).toEqual([
    "body.instructions",
    "body.statements",
  ]);
});
