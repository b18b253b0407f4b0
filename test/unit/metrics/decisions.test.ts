import { expect, test } from "vitest";
import { decide, levelProbabilities, type Rubric, type StatementAnswer } from "../../../lib/domain/metrics/rubric.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { decisionWarnings } from "../../../lib/domain/metrics/lint/decision-warnings.ts";
import { groupMetrics, hasPredicates } from "../../../lib/judge/decision/decision-call.ts";
import type { JudgedMetric, Metric } from "../../../lib/judge/metric/metric.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { planQuality } from "../../../lib/metrics/trace/plan-quality.ts";
import { taskCompletion } from "../../../lib/metrics/trace/task-completion.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";

const material = { trace: mergeTrace(null, someTrace({})), earlierTraces: [], omittedTraceCount: 0 };

const isJudged = (metric: Metric): metric is JudgedMetric => metric.method === "judge";
const judgedMetrics = traceMetrics.filter(isJudged);

test("the probability of each level agrees with drawing the statements a hundred thousand times", () => {
  const random = seeded(7);
  for (const { rubric } of [taskCompletion, planQuality]) {
    if (rubric === null) throw new Error("The metric has no rubric.");
    const probabilities = Object.fromEntries(rubric.statements.map(({ name }) => [name, random.below(101) / 100]));
    const counts = new Map<string, number>();
    const draws = 100_000;
    for (let draw = 0; draw < draws; draw += 1) {
      const answers = Object.fromEntries(
        rubric.statements.map(({ name }): [string, StatementAnswer] => [
          name,
          random.chance(probabilities[name] ?? 0) ? "yes" : "no",
        ]),
      );
      const decision = decide(rubric, answers);
      if (decision.kind === "level") counts.set(decision.level.name, (counts.get(decision.level.name) ?? 0) + 1);
    }
    const levels = levelProbabilities(rubric, probabilities);
    expect([...levels.values()].reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    for (const [level, probability] of levels)
      expect(Math.abs((counts.get(level) ?? 0) / draws - probability)).toBeLessThan(0.01);
  }
});

test("a decision model can be asked about every metric that a judge scores, in one call", () => {
  expect(judgedMetrics.filter((metric) => !hasPredicates(metric))).toEqual([]);
  expect(groupMetrics(judgedMetrics, material)).toHaveLength(1);
});

test("a call has at most 400 questions and 47 metrics", () => {
  const [many, long] = [
    Array.from({ length: 100 }, () => taskCompletion),
    Array.from({ length: 40 }, () => planQuality),
  ];
  const rubric: Rubric = { levels: [], statements: [], rule: [], otherwise: "" };
  const longMetric = {
    ...taskCompletion,
    rubric,
    decisionForm: {
      predicates: () =>
        Array.from({ length: 120 }, (_, index) => ({ name: `s${index}`, text: "?", yes: "y", no: "n" })),
      score: () => ({ value: 1, reason: "", details: {} }),
    },
  };
  expect(groupMetrics(many, material).map(({ length }) => length)).toEqual([47, 47, 6]);
  expect(groupMetrics(long, material)).toHaveLength(1);
  expect(groupMetrics([longMetric, longMetric, longMetric, longMetric], material).map(({ length }) => length)).toEqual([
    3, 1,
  ]);
});

test.each([
  ["Did the agent ask at least twice?", "counting"],
  ["Is the total right?", "arithmetic"],
  ["Was it sent before the deadline?", "dates"],
  ["Did the agent never ask for a password?", "negation"],
])("the statement %j of a decision judge gets a warning about %s", (text, weakness) => {
  expect(decisionWarnings({ statements: [{ text }] })).toMatchObject([
    { field: ["statements", 0, "text"], rule: "decision_model", message: expect.stringContaining(weakness) },
  ]);
});

test("a plain statement of a decision judge gets no warning", () => {
  expect(decisionWarnings({ statements: [{ text: "Did the agent offer a refund?" }] })).toEqual([]);
});
