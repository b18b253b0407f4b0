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
const amount = (holder: Value | undefined, key: string): number => (isFields(holder) ? number(holder[key]) : null) ?? 0;

/** Cost reported by the span's client; null without any number. */
const reportedCost = (cost: Value | undefined): Fields | null =>
  isFields(cost) && Object.values(cost).some((value) => number(value) !== null) ? cost : null;

/** The tokens of a span that are priced. */
export interface PricedTokens {
  readonly prompt: boolean;
  readonly completion: boolean;
}

/**
 * Tokens of a span: tokens of the cache and of thoughts are part of the prompt's and the answer's if the total says so, or else if
 * there is room for them. Those that only the total has, `other`, are the prompt's where nothing else is reported, else the answer's.
 */
export const spanTokens = ({ fields }: ModelSpan) => {
  const usage = fields["token_usage"];
  const [sent, answered, total] = [
    amount(usage, "prompt_tokens"),
    amount(usage, "completion_tokens"),
    amount(usage, "total_tokens"),
  ];
  const [read, written, thought] = [
    amount(usage, "cache_read_tokens"),
    amount(usage, "cache_write_tokens"),
    amount(usage, "reasoning_tokens"),
  ];
  const isReported =
    isFields(usage) && [usage["prompt_tokens"], usage["completion_tokens"]].some((value) => number(value) !== null);
  const extras = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => {
    const [ofRead, ofWritten, ofThought] = [bits % 2, Math.floor(bits / 2) % 2, Math.floor(bits / 4)].map(Boolean);
    const hasRoom = (ofRead ? 0 : read) + (ofWritten ? 0 : written) <= sent && (ofThought || thought <= answered);
    const prompt = sent + (ofRead ? read : 0) + (ofWritten ? written : 0);
    return { hasRoom, prompt, completion: answered + (ofThought ? thought : 0) };
  });
  const { prompt, completion } = extras.find(
    ({ hasRoom, ...sides }) => isReported && total > 0 && hasRoom && sides.prompt + sides.completion === total,
  ) ?? {
    prompt: sent + (read + written > sent ? read + written : 0),
    completion: answered + (thought > answered ? thought : 0),
  };
  const other = Math.max(0, total - prompt - completion);
  const isAlone = prompt + completion === 0;
  return {
    read,
    written,
    thought,
    other,
    reported: { prompt, completion },
    prompt: prompt + (isAlone ? other : 0),
    completion: completion + (isAlone ? 0 : other),
  };
};

/**
 * Cost of a span's tokens by its model's price, in trillionths of a dollar; null if the client reported a cost or the
 * price is unknown.
 */
const modelCost = (
  span: ModelSpan,
  priced: PricedTokens = { prompt: true, completion: true },
): { readonly input: number; readonly output: number } | null => {
  const { model, cost } = span.fields;
  const name = typeof model === "string" ? model.toLowerCase() : "";
  const { read, written, reported } = spanTokens(span);
  const [prompt, completion] = [priced.prompt ? reported.prompt : 0, priced.completion ? reported.completion : 0];
  const isLong = prompt > 200_000 && Object.hasOwn(longPrices, name);
  const price = isLong ? longPrices[name] : Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (price === undefined || reportedCost(cost) !== null) return null;
  if (prompt + completion === 0) return null;
  return {
    input: priced.prompt ? Math.round((prompt - read - written) * price[0] + read * price[1] + written * price[2]) : 0,
    output: Math.round(completion * price[3]),
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

/** Total in dollars that the span's client reported; null without one. */
export const reportedTotal = ({ fields: { cost } }: ModelSpan): number | null =>
  isFields(cost) ? number(cost["total"]) : null;

/** Cost in dollars of a span's tokens by its model's price; null if the client reported a cost or the price is unknown. */
export const dollarsOf = (span: ModelSpan, priced: PricedTokens): number | null => {
  const cost = modelCost(span, priced);
  return cost === null ? null : (cost.input + cost.output) / 1e12;
};
