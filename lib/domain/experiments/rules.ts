import { mean as meanOf } from "simple-statistics";
import { compareMeans, compareScoreMeans } from "../statistics/compare.ts";
import {
  failingTests,
  testComparison,
  testLimit,
  type LimitedValues,
  type LimitTest,
  type LimitVerdict,
} from "../statistics/limit.ts";
import type { Observation } from "../statistics/observation.ts";
import {
  countItems,
  hasTooManyMissing,
  isComparable,
  type ComparedItem,
  type ItemCounts,
  type ItemTrace,
} from "./items.ts";

/** What a rule of a gate demands; `max_` rules compare the candidate with the baseline. */
export const ruleKinds = ["max_drop", "min_rate", "min_mean", "max_cost_increase", "max_latency_increase"] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** Most traces of a side whose scores of all names are read, each by a query: a request with two sides may look up 20,000 times. */
export const maxScoredTraces = 9_000;

/** Why a rule cannot tell, beside an interval that includes its limit. */
export const ruleReasons = ["too_few", "too_many_missing", "no_scores", "no_threshold"] as const;
type RuleReason = (typeof ruleReasons)[number];

/** A rule beside what the data say. */
export interface RuleOutcome {
  readonly test: LimitTest;
  /** Means of the compared items on both sides, whatever the rule is about; null without any. */
  readonly baselineMean: number | null;
  readonly candidateMean: number | null;
  readonly items: ItemCounts;
  readonly verdict: LimitVerdict;
  readonly reason: RuleReason | null;
  /** Items of both sides; none without pairs. */
  readonly pairs: readonly ComparedItem[];
}

const scoreRange = { lower: 0, upper: 1 };
const differenceRange = { lower: -1, upper: 1 };

const isScore = (value: number): boolean => value >= 0 && value <= 1;

const maxOf = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), -Infinity);

/** Observations that do not depend on each other. */
const independent = (values: readonly number[]): readonly Observation[] =>
  values.map((value, at) => ({ value, cluster: String(at) }));

/** Returns the values of items with themselves for a rule that compares, of which the mean has to reach the limit. */
const pairedValues = (kind: RuleKind, amount: number, items: readonly ComparedItem[]): LimitedValues => {
  const differences = (factor: number, sign: number) =>
    independent(
      items.map(({ baseline, candidate }) => sign * (meanOf(candidate.values) - factor * meanOf(baseline.values))),
    );
  const [before, after] = [
    items.flatMap(({ baseline }) => baseline.values),
    items.flatMap(({ candidate }) => candidate.values),
  ];
  if (kind !== "max_drop") {
    // Neither cost nor latency is below 0.
    const rangeIfEqual = { lower: -maxOf(after), upper: (1 + amount) * maxOf(before) };
    return { values: differences(1 + amount, -1), range: null, rangeIfEqual };
  }
  const width = maxOf([...before, ...after]) + maxOf([...before, ...after].map((value) => -value));
  const range = [...before, ...after].every(isScore) ? differenceRange : null;
  return { values: differences(1, 1), range, rangeIfEqual: { lower: -width, upper: width } };
};

/** Returns the values of the candidate for a rule about it alone. */
const candidateValues = (kind: RuleKind, values: readonly Observation[]): LimitedValues => ({
  values,
  range: kind === "min_rate" || values.every(({ value }) => isScore(value)) ? scoreRange : null,
});

const limitOf = (kind: RuleKind, amount: number): number => {
  if (kind === "max_drop") return -amount;
  return comparesSides(kind) ? 0 : amount;
};

/** True for rules that compare with a baseline. */
export const comparesSides = (kind: RuleKind): boolean => kind.startsWith("max_");

const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : meanOf(values));

const outcomeOf = (
  test: LimitTest,
  items: ItemCounts,
  hasMissing: boolean,
  more: Pick<RuleOutcome, "pairs" | "baselineMean" | "candidateMean">,
): RuleOutcome => {
  // Only scores that passed or failed have a rate.
  const hasNoRate = items.compared > 0 && test.count === 0;
  const tooFew = test.interval === null ? (hasNoRate ? "no_threshold" : "too_few") : null;
  const usualReason = hasMissing ? "too_many_missing" : tooFew;
  const reason = items.compared === 0 && items.unjudged > 0 ? "no_scores" : usualReason;
  return { test, items, verdict: reason === null ? test.verdict : "cannot_tell", reason, ...more };
};

/** Applies one rule alone to the items of two experiments. Repeats of an item are one value, their mean. */
export const applyRule = (kind: RuleKind, amount: number, pairs: readonly ComparedItem[]): RuleOutcome => {
  const sides = comparesSides(kind) ? (["baseline", "candidate"] as const) : (["candidate"] as const);
  const counts = countItems(pairs, sides);
  const compared = pairs.filter((item) => isComparable(item, sides));
  const ofCandidate = compared.flatMap(({ candidate: { values, passes } }) => {
    const those = kind === "min_rate" ? passes : values;
    return those.length === 0 ? [] : [meanOf(those)];
  });
  const limited = comparesSides(kind)
    ? pairedValues(kind, amount, compared)
    : candidateValues(kind, independent(ofCandidate));
  return outcomeOf(testLimit(limited, limitOf(kind, amount)), counts, hasTooManyMissing(counts), {
    pairs,
    baselineMean: meanOrNull(
      compared.flatMap(({ baseline: { values } }) => (values.length === 0 ? [] : meanOf(values))),
    ),
    candidateMean: meanOrNull(ofCandidate),
  });
};

/** Values of a side's traces, which may depend on each other by what stands for their items. */
const observationsOf = (traces: readonly ItemTrace[], isRate = false): readonly Observation[] =>
  traces.flatMap(({ traceId, itemId, value: score }) => {
    if (score.kind !== "value" || (isRate && score.passed === null)) return [];
    return [{ value: isRate ? Number(score.passed) : score.value, cluster: itemId ?? traceId }];
  });

const scaled = (observations: readonly Observation[], factor: number): readonly Observation[] =>
  observations.map(({ value, cluster }) => ({ value: factor * value, cluster }));

const emptyCount = (traces: readonly ItemTrace[]): number =>
  traces.filter(({ value }) => value.kind === "inapplicable" && value.isEmpty).length;

/**
 * Applies one rule alone to traces without pairs, as two releases are compared. Traces without a score do not count as missing, since
 * monitors may sample; failed judgements do, and more empty outputs than the baseline has.
 */
export const applyRuleWithoutPairs = (
  kind: RuleKind,
  amount: number,
  baseline: readonly ItemTrace[],
  candidate: readonly ItemTrace[],
): RuleOutcome => {
  const compares = comparesSides(kind);
  const sides = compares ? [baseline, candidate] : [candidate];
  const [before, after] = [observationsOf(baseline), observationsOf(candidate, kind === "min_rate")];
  const compared = compares ? Math.min(before.length, after.length) : observationsOf(candidate).length;
  const missing = sides.map((traces) => {
    const values = traces.map(({ value }) => value);
    const failed = values.filter((value) => value.kind === "unjudged" && value.hasFailed).length;
    const unjudged = values.filter(({ kind: each }) => each === "unjudged").length;
    return { unjudged, failed, judged: values.filter(({ kind: each }) => each === "value").length + failed };
  });
  // As many as the baseline has are usual.
  const usualShare = compares ? emptyCount(baseline) / Math.max(1, baseline.length) : 0;
  const lapsed = Math.max(0, Math.round(emptyCount(candidate) - usualShare * candidate.length));
  const counts = {
    ...countItems([], []),
    compared,
    unjudged: missing.reduce((sum, { unjudged }) => sum + unjudged, 0),
    inapplicable: sides.flat().filter(({ value }) => value.kind === "inapplicable").length,
    lapsed,
  };
  const limit = limitOf(kind, amount);
  const test = !compares
    ? testLimit(candidateValues(kind, after), limit)
    : testComparison(
        kind === "max_drop"
          ? compareScoreMeans(before, after)
          : compareMeans(scaled(before, -(1 + amount)), scaled(after, -1)),
        limit,
        compared,
      );
  const hasTooManyFailed = missing.some(({ failed: unjudged, judged }, at) =>
    hasTooManyMissing({
      ...counts,
      compared: judged - unjudged,
      unjudged,
      lapsed: sides[at] === candidate ? lapsed : 0,
    }),
  );
  const mean = (observations: readonly Observation[]) => meanOrNull(observations.map(({ value }) => value));
  return outcomeOf(test, counts, hasTooManyFailed, {
    pairs: [],
    baselineMean: compares ? mean(before) : null,
    candidateMean: mean(after),
  });
};

/** A rule of a gate: one that only watches does not decide. */
export interface DecidingRule {
  readonly isWatching: boolean;
  readonly outcome: RuleOutcome;
}

/**
 * Decides a gate: it fails if a deciding rule fails together with the others (Holm), passes if all pass or none decides, and else cannot tell. What fails
 * alone but not together is a rule that cannot tell.
 */
export const decideGate = (
  rules: readonly DecidingRule[],
): { readonly verdict: LimitVerdict; readonly failing: ReadonlySet<DecidingRule> } => {
  const deciding = rules.filter(({ isWatching }) => !isWatching);
  const testable = deciding.filter(({ outcome }) => outcome.reason === null);
  const tests = failingTests(testable.map((rule) => ({ rule, failP: rule.outcome.test.failP })));
  const failing = new Set(Array.from(tests, ({ rule }) => rule));
  if (failing.size > 0) return { verdict: "fail", failing };
  const isPassed = deciding.every(({ outcome }) => outcome.verdict === "pass");
  return { verdict: isPassed ? "pass" : "cannot_tell", failing };
};
