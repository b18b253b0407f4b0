import { WrittenNumber, type Fields, type Value } from "./exact-json.ts";
import type { ModelSpan } from "./trace.ts";

/** What the models of generated spans cost, whole trillionths of a dollar a token: fresh, read from a cache, written to it, answered. */
const prices: Readonly<Record<string, readonly [fresh: number, read: number, written: number, answered: number]>> = {
  "gpt-5.4-mini": [750_000, 75_000, 750_000, 4_500_000],
  "claude-sonnet-4-5": [3_000_000, 300_000, 3_750_000, 15_000_000],
};

const isFields = (value: Value | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);

const number = (value: Value | undefined): number | null =>
  value instanceof WrittenNumber ? Number(value.digits) : typeof value === "number" ? value : null;

/** The number under a key, 0 where there is none. */
export const amount = (holder: Value | undefined, key: string): number =>
  (isFields(holder) ? number(holder[key]) : null) ?? 0;

/** What a span's own client says it cost, in any number; null where it does not. */
const said = (cost: Value | undefined): Fields | null =>
  isFields(cost) && Object.values(cost).some((value) => number(value) !== null) ? cost : null;

/** What a span's model costs for its tokens, trillionths; null where a client said it, or nobody knows. */
const reckoned = ({ fields }: ModelSpan): { readonly input: number; readonly output: number } | null => {
  const { model, token_usage: usage, cost } = fields;
  const name = typeof model === "string" ? model.toLowerCase() : "";
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (price === undefined || said(cost) !== null) return null;
  const [prompt, completion, read, written] = [
    "prompt_tokens",
    "completion_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
  ].map((key) => amount(usage, key)) as [number, number, number, number];
  const thought = amount(usage, "reasoning_tokens");
  if (Math.max(prompt, completion, read, written, thought) === 0) return null;
  const fresh = Math.max(prompt - read - written, 0);
  return {
    input: Math.round(fresh * price[0] + read * price[1] + written * price[2]),
    output: Math.round(Math.max(completion, thought) * price[3]),
  };
};

/** A span's cost as replies show it. */
export const shownCost = (span: ModelSpan, number: (value: number) => unknown): unknown => {
  const own = reckoned(span);
  const cost = span.fields["cost"] ?? null;
  if (own === null) return cost;
  return {
    ...(isFields(cost) ? cost : {}),
    input: number(own.input / 1e12),
    output: number(own.output / 1e12),
    total: number((own.input + own.output) / 1e12),
    source: "price_list",
  };
};

/** Dollars that a span counts for. */
export const dollars = (span: ModelSpan): number => {
  const own = reckoned(span);
  return own === null ? amount(span.fields["cost"], "total") : (own.input + own.output) / 1e12;
};

/** Tokens of a span that no cost is known for. */
export const unpriced = (span: ModelSpan): number => {
  const { token_usage: usage, cost } = span.fields;
  const told = isFields(cost) && number(cost["total"]) !== null;
  if (told || reckoned(span) !== null) return 0;
  return Math.round(amount(usage, "prompt_tokens") + amount(usage, "completion_tokens"));
};
