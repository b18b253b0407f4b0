import { failingTests, testLimit, type LimitedValues, type LimitTest, type LimitVerdict } from "../statistics/limit.ts";
import { countItems, hasTooManyMissing, isComparable, meanOf, type ComparedItem, type ItemCounts } from "./items.ts";

/** What a rule of a gate demands; `max_` rules compare the candidate with the baseline. */
export const ruleKinds = ["max_drop", "min_rate", "min_mean", "max_cost_increase", "max_latency_increase"] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** Why a rule cannot tell although it has enough items, or has too few. */
export type RuleReason = "too_few" | "too_many_missing" | null;

/** A rule beside what the data say. */
export interface RuleOutcome {
  readonly test: LimitTest;
  readonly items: ItemCounts;
  readonly verdict: LimitVerdict;
  readonly reason: RuleReason;
}

const scoreRange = { lower: 0, upper: 1 };
const differenceRange = { lower: -1, upper: 1 };

const isScore = (value: number): boolean => value >= 0 && value <= 1;

/** Returns the values of the items for a rule, of which the mean has to reach the limit. */
const limitedValues = (kind: RuleKind, amount: number, items: readonly ComparedItem[]): LimitedValues => {
  const sides = items.map(({ baseline, candidate }) => ({ baseline, candidate }));
  switch (kind) {
    case "max_drop": {
      const isBounded = sides.every(({ baseline, candidate }) =>
        [...baseline.values, ...candidate.values].every(isScore),
      );
      return {
        values: sides.map(({ baseline, candidate }) => meanOf(candidate.values) - meanOf(baseline.values)),
        range: isBounded ? differenceRange : null,
      };
    }
    case "min_mean":
      return {
        values: sides.map(({ candidate }) => meanOf(candidate.values)),
        range: sides.every(({ candidate }) => candidate.values.every(isScore)) ? scoreRange : null,
      };
    case "min_rate":
      return {
        values: sides.flatMap(({ candidate: { passes } }) => (passes.length === 0 ? [] : [meanOf(passes)])),
        range: scoreRange,
      };
    case "max_cost_increase":
    case "max_latency_increase":
      return {
        values: sides.map(
          ({ baseline, candidate }) => meanOf(baseline.values) * (1 + amount) - meanOf(candidate.values),
        ),
        range: null,
      };
    default:
      return kind satisfies never;
  }
};

const limitOf = (kind: RuleKind, amount: number): number => {
  if (kind === "max_drop") return -amount;
  return kind === "min_rate" || kind === "min_mean" ? amount : 0;
};

/** True for rules that compare with a baseline. */
export const comparesSides = (kind: RuleKind): boolean => kind.startsWith("max_");

/** Applies one rule alone to the items of two experiments. */
export const applyRule = (kind: RuleKind, amount: number, items: readonly ComparedItem[]): RuleOutcome => {
  const sides = comparesSides(kind) ? (["baseline", "candidate"] as const) : (["candidate"] as const);
  const counts = countItems(items, sides);
  const test = testLimit(
    limitedValues(
      kind,
      amount,
      items.filter((item) => isComparable(item, sides)),
    ),
    limitOf(kind, amount),
  );
  const reason = hasTooManyMissing(counts) ? "too_many_missing" : test.interval === null ? "too_few" : null;
  return { test, items: counts, verdict: reason === null ? test.verdict : "cannot_tell", reason };
};

/** A rule of a gate: one that only watches does not decide. */
export interface DecidingRule {
  readonly isWatching: boolean;
  readonly outcome: RuleOutcome;
}

/**
 * Decides a gate: it fails if a deciding rule fails together with the others (Holm), passes if all pass, and else cannot tell. What fails
 * alone but not together is a rule that cannot tell.
 */
export const decide = (
  rules: readonly DecidingRule[],
): { readonly verdict: LimitVerdict; readonly failing: ReadonlySet<DecidingRule> } => {
  const deciding = rules.filter(({ isWatching }) => !isWatching);
  const testable = deciding.filter(({ outcome }) => outcome.reason === null);
  const tests = failingTests(testable.map((rule) => ({ rule, failP: rule.outcome.test.failP })));
  const failing = new Set(Array.from(tests, ({ rule }) => rule));
  if (failing.size > 0) return { verdict: "fail", failing };
  const isPassed = deciding.length > 0 && deciding.every(({ outcome }) => outcome.verdict === "pass");
  return { verdict: isPassed ? "pass" : "cannot_tell", failing };
};
