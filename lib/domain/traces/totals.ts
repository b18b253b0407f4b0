import { ExactSum } from "../exact-sum.ts";
import { numberAt } from "../json.ts";
import { countedUsage } from "./usage/counted-usage.ts";
import { roundedCost, costOfSpan, costScale, limitToFinite } from "./span-cost.ts";
import { countedTokens } from "./usage/split-tokens.ts";
import type { Span } from "./trace.ts";

/** Usage of one model, or of the spans without a model, in one UTC hour. */
export interface Contribution {
  /** UTC hour in which the spans started, `YYYY-MM-DDTHH`. */
  readonly hour: string;
  readonly model: string | null;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: number;
}

/** Accumulator of the usage of one model in one hour. */
interface Sum extends Omit<Contribution, "cost"> {
  readonly cost: ExactSum;
}

/**
 * Adds up the counted usage of spans by hour and model. A span that repeats the usage of others is no call.
 *
 * @param include selects the spans that are added up; all by default.
 */
export const contributionsOf = (
  spans: readonly Span[],
  include: (span: Span) => boolean = () => true,
): readonly Contribution[] => {
  const sums = new Map<string, Sum>();
  const usages = countedUsage(spans);
  for (const [index, span] of spans.entries()) {
    const usage = usages[index];
    if (usage === undefined || usage.isRepeated || !include(span)) continue;
    const hour = span.started_at.slice(0, 13);
    const key = JSON.stringify([hour, span.model]);
    const sum = sums.get(key);
    const costs = sum?.cost ?? new ExactSum();
    costs.add(usage.cost);
    sums.set(key, {
      hour,
      model: span.model,
      calls: (sum?.calls ?? 0) + 1,
      promptTokens: (sum?.promptTokens ?? 0) + usage.promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + usage.completionTokens,
      cost: costs,
    });
  }
  return sums
    .values()
    .map(({ hour, model, calls, promptTokens, completionTokens, cost }) => ({
      hour,
      model,
      calls,
      promptTokens: limitToFinite(promptTokens),
      completionTokens: limitToFinite(completionTokens),
      cost: roundedCost(cost.value),
    }))
    .toArray();
};

/** Maximum sum in US dollars for which adding whole trillionths of a dollar is exact, in any order of addition. */
const maxExactCost = 1_000;

/**
 * True if all values are whole tokens and whole trillionths of a dollar within the exact range of doubles, so that
 * adding further values later gives the same result as adding all at once.
 */
export const isExact = (
  spans: readonly Span[],
  sums: readonly Contribution[],
  totals = { totalTokens: totalTokens(sums), totalCost: totalCost(sums) },
): boolean =>
  spans.every((span) => {
    const dollars = numberAt(costOfSpan(span), "total");
    return (
      Math.round(dollars * costScale) / costScale === dollars &&
      Object.values(countedTokens(span)).every(Number.isSafeInteger)
    );
  }) &&
  Number.isSafeInteger(totals.totalTokens) &&
  totals.totalCost < maxExactCost;

/** Adds the usage of two sets of spans; the order is that of first occurrence. */
export const addContributions = (
  before: readonly Contribution[],
  added: readonly Contribution[],
): readonly Contribution[] => {
  const sums = new Map(before.map((sum) => [JSON.stringify([sum.hour, sum.model]), sum]));
  for (const contribution of added) {
    const key = JSON.stringify([contribution.hour, contribution.model]);
    const sum = sums.get(key);
    sums.set(
      key,
      sum === undefined
        ? contribution
        : {
            ...sum,
            calls: sum.calls + contribution.calls,
            promptTokens: sum.promptTokens + contribution.promptTokens,
            completionTokens: sum.completionTokens + contribution.completionTokens,
            cost: addCosts([sum.cost, contribution.cost]),
          },
    );
  }
  return [...sums.values()];
};

const sumOf = (amounts: Iterable<number>): number => {
  const sum = new ExactSum();
  for (const amount of amounts) sum.add(amount);
  return sum.value;
};

/** Adds numbers of tokens to a whole number. */
export const sumTokens = (amounts: Iterable<number>): number => limitToFinite(Math.round(sumOf(amounts)));

/** Adds numbers of tokens of several traces; a sum above 2^53-1, the largest exact number, is 2^53-1. */
export const addTokensOfTraces = (amounts: Iterable<number>): number =>
  Math.min(sumTokens(amounts), Number.MAX_SAFE_INTEGER);

/** Adds costs without rounding errors. */
export const addCosts = (costs: Iterable<number>): number => roundedCost(sumOf(costs));

/** Returns the prompt and completion tokens of all contributions, a whole number. */
export const totalTokens = (contributions: readonly Contribution[]): number =>
  sumTokens(contributions.map(({ promptTokens, completionTokens }) => promptTokens + completionTokens));

export const totalCost = (contributions: readonly Contribution[]): number =>
  addCosts(contributions.map(({ cost }) => cost));
