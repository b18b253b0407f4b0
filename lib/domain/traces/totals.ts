import { ExactSum } from "../exact-sum.ts";
import { toDouble, type JsonObject } from "../json.ts";
import { costOfSpan, costScale } from "./span-cost.ts";
import type { Span } from "./trace.ts";
import { wrappedCalls } from "./wrapped-calls.ts";

/** What one model, or spans without one, added to one UTC hour. */
export interface Contribution {
  /** `YYYY-MM-DDTHH`, from the spans' start. */
  readonly hour: string;
  readonly model: string | null;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: number;
}

const amount = (values: JsonObject | null, key: string): number => {
  const value = toDouble(values?.[key] ?? 0);
  return typeof value === "number" ? value : 0;
};

/** A sum that JSON can say: numbers a client sends are finite, their sum need not be. */
const finite = (sum: number): number => Math.min(sum, Number.MAX_VALUE);

/** A sum of costs without what adding doubles up left behind: 0.3 for 0.1 + 0.2. Other digits stay as they are. */
const costOf = (sum: number): number => {
  const rounded = Math.round(sum * costScale) / costScale;
  return Math.abs(rounded - sum) <= sum * 2 ** -46 ? rounded : finite(sum);
};

/** What a span adds to its sum. */
interface Sum extends Omit<Contribution, "cost"> {
  readonly cost: ExactSum;
}

/** Adds the spans of a trace up by hour and model, or those of them that are asked for. */
export const contributionsOf = (
  spans: readonly Span[],
  asked: (span: Span) => boolean = () => true,
): readonly Contribution[] => {
  const sums = new Map<string, Sum>();
  const wrapped = wrappedCalls(spans);
  for (const span of spans) {
    if (!asked(span)) continue;
    const usage = wrapped.tokens.has(span.span_id) ? null : span.token_usage;
    const cost = wrapped.costs.has(span.span_id) ? null : costOfSpan(span);
    const hour = span.started_at.slice(0, 13);
    const key = JSON.stringify([hour, span.model]);
    const sum = sums.get(key);
    const costs = sum?.cost ?? new ExactSum();
    costs.add(amount(cost, "total"));
    sums.set(key, {
      hour,
      model: span.model,
      calls: (sum?.calls ?? 0) + 1,
      promptTokens: (sum?.promptTokens ?? 0) + amount(usage, "prompt_tokens"),
      completionTokens: (sum?.completionTokens ?? 0) + amount(usage, "completion_tokens"),
      cost: costs,
    });
  }
  return sums
    .values()
    .map(({ hour, model, calls, promptTokens, completionTokens, cost }) => ({
      hour,
      model,
      calls,
      promptTokens: finite(promptTokens),
      completionTokens: finite(completionTokens),
      cost: costOf(cost.value),
    }))
    .toArray();
};

/** Dollars up to which sums of whole trillionths are exact, in whatever portions they are added up. */
const mostExactCost = 1_000;

/**
 * Whether sums are whole tokens and whole trillionths of a dollar, below what doubles say exactly: what is added to them later
 * gives what adding everything up at once gives.
 */
export const isExact = (
  spans: readonly Span[],
  sums: readonly Contribution[],
  totals = { totalTokens: totalTokens(sums), totalCost: totalCost(sums) },
): boolean =>
  spans.every((span) => {
    const usage = span.token_usage;
    const dollars = amount(costOfSpan(span), "total");
    return (
      Math.round(dollars * costScale) / costScale === dollars &&
      [amount(usage, "prompt_tokens"), amount(usage, "completion_tokens")].every(Number.isSafeInteger)
    );
  }) &&
  Number.isSafeInteger(totals.totalTokens) &&
  totals.totalCost < mostExactCost;

/** The sums of two sets of spans, given the sums of each; in the order in which the spans of both give them. */
export const joinedContributions = (
  before: readonly Contribution[],
  added: readonly Contribution[],
): readonly Contribution[] => {
  const sums = new Map(before.map((sum) => [JSON.stringify([sum.hour, sum.model]), sum]));
  for (const more of added) {
    const key = JSON.stringify([more.hour, more.model]);
    const sum = sums.get(key);
    sums.set(
      key,
      sum === undefined
        ? more
        : {
            ...sum,
            calls: sum.calls + more.calls,
            promptTokens: sum.promptTokens + more.promptTokens,
            completionTokens: sum.completionTokens + more.completionTokens,
            cost: addCosts([sum.cost, more.cost]),
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

/** A whole number of tokens: the sum of some amounts of them. */
export const addTokens = (amounts: Iterable<number>): number => finite(Math.round(sumOf(amounts)));

/** The sum of some costs. */
export const addCosts = (costs: Iterable<number>): number => costOf(sumOf(costs));

/** Prompt and completion tokens of some contributions, a whole number. */
export const totalTokens = (contributions: readonly Contribution[]): number =>
  addTokens(contributions.map(({ promptTokens, completionTokens }) => promptTokens + completionTokens));

export const totalCost = (contributions: readonly Contribution[]): number =>
  addCosts(contributions.map(({ cost }) => cost));
