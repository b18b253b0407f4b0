import { parse } from "valibot";
import {
  type Extraction,
  type FactOptions,
  type Facts,
  type JudgedMetric,
  type Material,
  type SessionMaterial,
} from "../metric/metric.ts";
import { maxMetricsOfDecision } from "../prices/estimate.ts";
import type { Predicate } from "../providers/provider.ts";
import { expectedOutputNotes } from "../question/expected-output.ts";
import { decisionAnswer, type DecisionQuestion } from "../question/decision-question.ts";
import { decisionSystem } from "./system-message.ts";

/** Max questions of one call. */
const maxQuestions = 400;

/** True if a decision model can be asked about a metric. */
export const hasPredicates = ({ decisionForm, needs }: JudgedMetric): boolean =>
  decisionForm !== null && needs.every(({ decision }) => decision !== undefined);

/** True if a metric is judged on a part of the trace alone, so that it shares no call. */
export const isAlone = ({ facts, sees, decisionForm }: JudgedMetric): boolean =>
  sees === "notes" && facts !== null && decisionForm?.hasNotes !== true;

/** Material for metrics whose extractions state nothing: the predicate of each was false. */
export const withoutExtractions = (material: SessionMaterial): Material => ({
  ...material,
  extractedAnswer: (extraction) => parse(extraction.answer, extraction.decision?.absent),
});

/** Splits metrics into groups that one call can answer, in their order. */
export const groupMetrics = (
  metrics: readonly JudgedMetric[],
  material: SessionMaterial,
): readonly (readonly JudgedMetric[])[] => {
  const groups: JudgedMetric[][] = [];
  // The expected output is shown to the metrics alone that ask for it.
  for (const usesExpectedOutput of [false, true]) {
    let shared: JudgedMetric[] | null = null;
    let questionCount = 0;
    for (const metric of metrics.filter((each) => each.usesExpectedOutput === usesExpectedOutput)) {
      const count = metric.needs.length + (metric.decisionForm?.predicates(material).length ?? 0);
      if (isAlone(metric)) groups.push([metric]);
      else if (shared === null || shared.length >= maxMetricsOfDecision || questionCount + count > maxQuestions) {
        [shared, questionCount] = [[metric], count];
        groups.push(shared);
      } else {
        shared.push(metric);
        questionCount += count;
      }
    }
  }
  return groups;
};

/** The texts of the trace that a metric adds to the transcript, or that replace it. */
export const factsOf = (metric: JudgedMetric, material: SessionMaterial, options: FactOptions): readonly Facts[] =>
  metric.facts?.(withoutExtractions(material), options).slice(0, 1) ?? [];

/**
 * Builds a call: the predicates of extractions, then the statements of metrics, each named by the number of its metric, and the
 * notes on which they rest.
 *
 * @returns the question, and the number of statements of each metric.
 */
export const decisionCall = (
  metrics: readonly JudgedMetric[],
  extractions: readonly Extraction[],
  material: SessionMaterial,
  options: FactOptions,
) => {
  const ofMetrics = metrics.map((metric, index) =>
    (metric.decisionForm?.predicates(material) ?? []).map(({ name, text, yes, no }, place): Predicate => ({
      name: `c${index + 1}_${place + 1}_${name.replaceAll(/[^\w-]/gu, "_").slice(0, 40)}`,
      text: `Criterion ${index + 1}: ${text}`,
      yes,
      no,
    })),
  );
  const decision: DecisionQuestion = {
    system: decisionSystem(metrics.map(({ criterion }) => criterion)),
    predicates: [...extractions.flatMap((each) => each.decision?.predicate ?? []), ...ofMetrics.flat()],
  };
  return {
    counts: ofMetrics.map(({ length }) => length),
    question: {
      name: "decision",
      sees: metrics.some((metric) => !isAlone(metric)) || metrics.length === 0 ? "record" : "notes",
      notes: [
        ...expectedOutputNotes(material.expectedOutput ?? null),
        ...metrics.flatMap((metric) => factsOf(metric, material, options)),
      ],
      question: "",
      answer: decisionAnswer,
      findFlaw: () => null,
      decision,
    },
  } as const;
};

export type DecisionCall = ReturnType<typeof decisionCall>;
