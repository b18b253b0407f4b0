import { afterAll, beforeAll, expect, test } from "vitest";
import { createTraceRun, getTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { deleteTrace } from "../../../../lib/contract/traces/deletion.ts";
import { levelProbabilities } from "../../../../lib/domain/metrics/rubric.ts";
import { taskCompletion } from "../../../../lib/metrics/trace/task-completion.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type FakeDecisions, probabilityOf, startFakeDecisions } from "../../../support/runs/fake-decisions.ts";
import { addTrace, addTraces, scoresOf, startRun } from "../../../support/runs/trace-runs.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { newProject } from "../../../support/service/client.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

const model = "openai-decisions/gpt-6-luna";
/** All metrics that a judge scores by statements. */
const metrics = [
  "task_completion",
  "tool_correctness",
  "argument_correctness",
  "step_efficiency",
  "confidence",
  "plan_quality",
  "plan_adherence",
];

let service: RunningService;
let server: FakeDecisions;

beforeAll(async () => {
  server = await startFakeDecisions();
  service = await startService({
    checkGrants: true,
    providers: {
      "openai-decisions": { key: "sk-test", baseUrl: server.url },
      openai: { key: "sk-test", baseUrl: server.url },
      systemone: { baseUrl: server.url },
    },
  });
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const costOf = (scores: Awaited<ReturnType<typeof scoresOf>>): number =>
  scores.reduce((sum, { metadata }) => sum + Number(metadata["charged_usd"] ?? metadata["cost_usd"]), 0);

const sumOf = <Name extends string>(parts: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  parts.reduce((sum, part) => sum + part[name], 0);

const agentTrace = {
  input: "Move my flight to Friday.",
  output: "It is moved.",
  spans: [{ name: "search", kind: "TOOL", started_at: "2026-10-01", input: { day: "Friday" }, output: "LX 8" }],
};

test("one call judges all statement metrics of a trace, a second one those that rest on a plan", async () => {
  const client = newProject(service);
  await addTrace(client, agentTrace);
  server.script(() => ({
    kind: "answers",
    of: (question) => (question.name === "plan" ? 0.9 : probabilityOf(question)),
  }));

  const run = await endedRun(client, await startRun(client, { metrics, model }));
  const scores = await scoresOf(client, run);

  expect(run).toMatchObject({ status: "COMPLETED", failed_count: 0 });
  expect(server.calls.map(({ questions }) => questions[0]?.name)).toEqual(["plan", expect.stringContaining("c1_1_")]);
  expect(costOf(scores)).toBeCloseTo(server.billed(), 9);
  // The first score of each call has its cost.
  expect(scores.filter(({ metadata }) => Number(metadata["cost_usd"]) > 0)).toHaveLength(2);
  const parts = scores.map(({ name, metadata }) => {
    const { id, questions } = metadata["shared_call"] as { id: string; questions: number };
    return { name, id, questions, cost: Number(metadata["cost_usd"]) };
  });
  expect(new Set(parts.map(({ id }) => id)).size).toBe(2);
  for (const { name, id, questions } of parts) {
    const ofCall = parts.filter((part) => part.id === id);
    const [cost, count] = [sumOf(ofCall, "cost"), sumOf(ofCall, "questions")];
    expect(run.cost_by_metric?.[name]).toBeCloseTo((cost * questions) / count, 8);
  }
});

test("a score has the level of its rule, the exact probability of the level, and says that it cites nothing", async () => {
  const client = newProject(service);
  await addTrace(client);
  server.script(() => ({ kind: "answers" }));

  const run = await endedRun(client, await startRun(client, { metrics: ["task_completion"], model }));
  const [score] = await scoresOf(client, run);

  const { rubric } = taskCompletion;
  if (rubric === null || score === undefined) throw new Error("There is no score of a rubric.");
  const probabilities = Object.fromEntries(
    rubric.statements.map(({ name }, index) => [
      name,
      probabilityOf(server.calls[0]?.questions[index] ?? { name, text: "" }),
    ]),
  );
  const expected = levelProbabilities(rubric, probabilities).get(score.metadata["level"] as string) ?? 0;
  expect(score.metadata).toMatchObject({ probabilities, evidence: [], evidence_kind: "none" });
  expect(score.metadata["confidence"]).toBeCloseTo(expected, 3);
  expect(score).toMatchObject({
    status: "SUCCESS",
    evidence: [],
    judge: { id: expect.stringMatching(/^openai-decisions\/gpt-6-luna#/u) },
  });
});

test("System One judges the same statements in its own form", async () => {
  const client = newProject(service);
  await addTrace(client);
  server.script(() => ({ kind: "answers" }));

  const run = await endedRun(
    client,
    await startRun(client, { metrics: ["task_completion", "confidence"], model: "systemone/jev" }),
  );

  expect(run).toMatchObject({ status: "COMPLETED", failed_count: 0 });
  expect(server.calls.map(({ form }) => form)).toEqual(["systemone"]);
});

test("a refused statement fails only the metric whose level depends on it", async () => {
  const client = newProject(service);
  await addTrace(client);
  server.script(() => ({ kind: "answers", of: ({ name }) => (name === "c1_1_delivered" ? null : 0.9) }));

  const run = await endedRun(client, await startRun(client, { metrics: ["task_completion", "confidence"], model }));
  const scores = await scoresOf(client, run);

  const byName = new Map(scores.map((score) => [score.name, score]));
  expect(byName.get("confidence")?.status).toBe("SUCCESS");
  expect(byName.get("task_completion")).toMatchObject({ status: "FAILED", metadata: { code: "judge_refused" } });
  expect(costOf(scores)).toBeCloseTo(server.billed(), 9);
});

test.each([
  [model, "reversed"],
  [model, "short"],
  [model, "out-of-range"],
  ["systemone/jev", "short"],
] as const)("answers of %s that are %s give no score, are repeated once and are paid for", async (askedModel, kind) => {
  const client = newProject(service);
  await addTrace(client);
  server.script(() => ({ kind }));

  const run = await endedRun(
    client,
    await startRun(client, { metrics: ["task_completion", "confidence"], model: askedModel }),
  );
  const scores = await scoresOf(client, run);

  expect(scores.map(({ status, metadata }) => [status, metadata["code"]])).toEqual([
    ["FAILED", "judge_malformed"],
    ["FAILED", "judge_malformed"],
  ]);
  expect(server.calls).toHaveLength(2);
  // The model of System One has no price here.
  expect(costOf(scores)).toBeCloseTo(askedModel === model ? server.billed() : 0, 9);
});

// With the small ceiling traces wait for half a minute until the run knows that no budget will be freed.
test.each(runsAllCases ? [1, 0.001] : [1])(
  "calls that are billed and lost count with an upper bound, within a ceiling of $%d",
  async (ceiling) => {
    const client = newProject(service);
    await addTraces(client, 12);
    const replies = [
      { kind: "dropped" },
      { kind: "error", status: 429, headers: { "retry-after": "0" } },
      { kind: "answers" },
    ] as const;
    server.script((call) => replies[call % replies.length] ?? replies[0]);

    const order = { metrics: ["task_completion", "confidence"], model, max_cost_usd: ceiling };
    const run = await endedRun(client, await startRun(client, order));
    const { judge_usage: usage } = await client.answer(getTraceRun, { params: { run_id: run.id } });

    const booked = Number(usage.cost_usd) + (usage.unreported_usd ?? 0);
    expect(booked).toBeGreaterThanOrEqual(server.billed() - 1e-9);
    expect(booked).toBeLessThanOrEqual(ceiling);
    // The small ceiling does not suffice for all traces.
    expect(run.failed_count > 0).toBe(ceiling < 1);
  },
);

test("a trace that is deleted while it is judged has no score, and its run ends", async () => {
  const client = newProject(service);
  const [deletedId = "", ...keptIds] = await addTraces(client, 3);
  server.script(async () => {
    await client.call(deleteTrace, { params: { trace_id: deletedId } });
    return { kind: "answers" };
  });

  const run = await endedRun(client, await startRun(client, { metrics: ["confidence"], model }));
  const scores = await scoresOf(client, run);

  expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: 3, failed_count: 1 });
  expect(scores.map(({ trace_id }) => trace_id).toSorted()).toEqual(keptIds.toSorted());
  // The commit settles the deleted trace as missing; it does not fail, which would have all traces judged again.
  expect(server.calls).toHaveLength(3);
  expect(service.stack.denials).toEqual([]);
});

test("a dry run counts one call a trace", async () => {
  const client = newProject(service);
  await addTraces(client, 3);
  const body = { metrics: ["task_completion", "tool_correctness", "confidence"], model };

  const { text } = await client.call(createTraceRun, { query: { dry_run: "true" }, body });

  const estimate = JSON.parse(text) as { judge_calls: number; cost_usd: number; completion_tokens: number };
  expect(estimate).toMatchObject({ judge_calls: 3, completion_tokens: 0 });
  expect(estimate.cost_usd).toBeLessThan(0.001);
});
