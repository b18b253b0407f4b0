import { WrittenNumber, type Fields, type Value } from "./exact-json.ts";
import type { ModelSpan } from "./trace.ts";

/**
 * Prices of the generated spans' models in trillionths of a dollar per token: input, cache read, cache write, output.
 */
const prices: Readonly<Record<string, readonly [fresh: number, read: number, written: number, answered: number]>> = {
  "gpt-5.4-mini": [750_000, 75_000, 750_000, 4_500_000],
  "claude-sonnet-4-5": [3_000_000, 300_000, 3_750_000, 15_000_000],
};

/** Prices of the same models for a prompt of more than 200,000 tokens, where they differ. */
const longPrices: typeof prices = { "claude-sonnet-4-5": [6_000_000, 600_000, 7_500_000, 22_500_000] };

const isFields = (value: Value | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);

const number = (value: Value | undefined): number | null =>
  value instanceof WrittenNumber ? Number(value.digits) : typeof value === "number" ? value : null;

/** The number under a key; 0 if there is none. */
export const amount = (holder: Value | undefined, key: string): number =>
  (isFields(holder) ? number(holder[key]) : null) ?? 0;

/** Cost reported by the span's client; null without any number. */
const reportedCost = (cost: Value | undefined): Fields | null =>
  isFields(cost) && Object.values(cost).some((value) => number(value) !== null) ? cost : null;

/**
 * Cost of a span's tokens by its model's price, in trillionths of a dollar; null if the client reported a cost or the
 * price is unknown.
 */
const modelCost = ({ fields }: ModelSpan): { readonly input: number; readonly output: number } | null => {
  const { model, token_usage: usage, cost } = fields;
  const name = typeof model === "string" ? model.toLowerCase() : "";
  const [prompt, completion, read, written] = [
    "prompt_tokens",
    "completion_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
  ].map((key) => amount(usage, key)) as [number, number, number, number];
  // Some clients report the tokens of the cache without the prompt that has them.
  const isLong = Math.max(prompt, read + written) > 200_000 && Object.hasOwn(longPrices, name);
  const price = isLong ? longPrices[name] : Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (price === undefined || reportedCost(cost) !== null) return null;
  const thought = amount(usage, "reasoning_tokens");
  if (Math.max(prompt, completion, read, written, thought) === 0) return null;
  const fresh = Math.max(prompt - read - written, 0);
  return {
    input: Math.round(fresh * price[0] + read * price[1] + written * price[2]),
    output: Math.round(Math.max(completion, thought) * price[3]),
  };
};

/** A span's cost as shown in replies. */
export const shownCost = (span: ModelSpan, number: (value: number) => unknown): unknown => {
  const computedCost = modelCost(span);
  const cost = span.fields["cost"] ?? null;
  if (computedCost === null) return cost;
  return {
    ...(isFields(cost) ? cost : {}),
    input: number(computedCost.input / 1e12),
    output: number(computedCost.output / 1e12),
    total: number((computedCost.input + computedCost.output) / 1e12),
    source: "price_list",
  };
};

/** Cost of a span in dollars, as counted in totals. */
export const dollars = (span: ModelSpan): number => {
  const computedCost = modelCost(span);
  return computedCost === null
    ? amount(span.fields["cost"], "total")
    : (computedCost.input + computedCost.output) / 1e12;
};

/** Tokens of a span without a known cost. */
export const unpriced = (span: ModelSpan): number => {
  const { token_usage: usage, cost } = span.fields;
  const hasReportedCost = isFields(cost) && number(cost["total"]) !== null;
  if (hasReportedCost || modelCost(span) !== null) return 0;
  return Math.round(amount(usage, "prompt_tokens") + amount(usage, "completion_tokens"));
};
