import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";
import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate } from "./input.ts";
import { hostOfSpan } from "./model-host.ts";
import { pricesAt, standardTier, type ModelPrice } from "./model-price.ts";
import type { Span } from "./trace.ts";

/** Costs are computed in trillionths of a dollar, the finest unit of any price list. */
export const costScale = 1e12;

/** Trillionths of a dollar per token at a price of one dollar per million tokens. */
const scaled = costScale / 1e6;

/** Returns a count of tokens; null if the client's value is not a number or out of range. */
const numberIn = (value: Json | undefined): number | null => {
  const number = toDouble(value ?? null);
  return typeof number === "number" && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : null;
};

/** Returns the first count found under one of several names, or in a nested object of details. */
const tokenCount = (
  usage: JsonObject,
  names: readonly string[],
  details: readonly (readonly [object: string, name: string])[],
): number => {
  const inDetails = details.map(([object, name]) => {
    const detailFields = usage[object];
    return isObject(detailFields) ? detailFields[name] : undefined;
  });
  for (const value of [...names.map((name) => usage[name]), ...inDetails]) {
    const count = numberIn(value);
    if (count !== null) return count;
  }
  return 0;
};

/** Splits the tokens of a model call by the price that applies to them. */
const tokensOf = (usage: JsonObject) => {
  const prompt = numberIn(usage["prompt_tokens"]) ?? 0;
  const completion = numberIn(usage["completion_tokens"]) ?? 0;
  const cached = tokenCount(
    usage,
    ["cache_read_tokens", "cache_read_input_tokens", "cached_tokens"],
    [
      ["prompt_tokens_details", "cached_tokens"],
      ["input_tokens_details", "cached_tokens"],
    ],
  );
  const cacheWrites = tokenCount(usage, ["cache_write_tokens", "cache_creation_input_tokens"], []);
  const reasoning = tokenCount(
    usage,
    ["reasoning_tokens"],
    [
      ["completion_tokens_details", "reasoning_tokens"],
      ["output_tokens_details", "reasoning_tokens"],
    ],
  );
  // Counts larger than the total they should be part of are taken as additional tokens.
  return {
    prompt: Math.max(0, prompt - cached - cacheWrites),
    cached,
    written: cacheWrites,
    completion: Math.max(0, completion - reasoning),
    reasoning,
  };
};

/** Names of the standard service tier in usage of OpenAI, Anthropic, Google, Bedrock and Groq. */
const standardTiers = new Set(["", "auto", "default", "on_demand", standardTier, "unspecified"]);

/** Returns the service tier of a call by its usage, in lower case. */
const serviceTierOf = ({ service_tier: tier }: JsonObject): string => {
  const name = typeof tier === "string" ? tier.trim().toLowerCase() : "";
  return standardTiers.has(name) ? standardTier : name;
};

/** True if the client sent the cost of a span. */
export const hasClientCost = ({ cost }: Pick<Span, "cost">): boolean =>
  typeof toDouble(cost?.["total"] ?? null) === "number";

/** True if the client sent any amount in a span's cost, with or without a total; price lists do not apply then. */
const hasClientAmount = ({ cost }: Pick<Span, "cost">): boolean =>
  cost !== null && Object.values(cost).some((value) => typeof toDouble(value) === "number");

/** The cost of a call according to a price list, in US dollars. */
export interface ListedCost {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly source: "price_list";
}

/**
 * Computes the cost of a span with the prices stored with it, rounded to trillionths of a dollar; null if the client
 * sent the cost, or if there are no tokens or no price.
 */
export const listedCost = (span: Pick<Span, "price" | "cost" | "token_usage" | "started_at">): ListedCost | null => {
  if (span.price === undefined || span.token_usage === null || hasClientAmount(span)) return null;
  const tokens = tokensOf(span.token_usage);
  const promptTokens = tokens.prompt + tokens.cached + tokens.written;
  const prices = pricesAt(span.price, span.started_at, promptTokens, serviceTierOf(span.token_usage));
  if (prices === null) return null;
  if (Object.values(tokens).every((count) => count === 0)) return null;
  const input = Math.round(
    (tokens.prompt * prices.input + tokens.cached * prices.cached + tokens.written * prices.written) * scaled,
  );
  const output = Math.round((tokens.completion * prices.output + tokens.reasoning * prices.reasoning) * scaled);
  return {
    input: input / costScale,
    output: output / costScale,
    total: (input + output) / costScale,
    source: "price_list",
  };
};

/** Returns the cost of a span: the client's if it sent one, else that of the price list. */
export const costOfSpan = (span: Pick<Span, "price" | "cost" | "token_usage" | "started_at">): JsonObject | null => {
  const priceListCost = listedCost(span);
  return priceListCost === null ? span.cost : { ...span.cost, ...priceListCost };
};

/**
 * Returns the price of a model by its name in spans; undefined if no price list has it.
 *
 * @param host host of the model; null if the span names none.
 */
export type PriceOf = (model: string, host: string | null) => ModelPrice | undefined;

/** A price lookup without any prices. */
export const noPrices: PriceOf = () => undefined;

type PricedModel = Pick<PricedUpdate, "model" | "metadata">;

const currentPrice = ({ model, metadata }: PricedModel, priceOf: PriceOf): ModelPrice | undefined =>
  (model ?? "") === "" ? undefined : priceOf(model ?? "", hostOfSpan(metadata));

const priceWith = (span: PricedModel, priceOf: PriceOf): { readonly price?: ModelPrice } => {
  const price = currentPrice(span, priceOf);
  return price === undefined ? {} : { price };
};

/** Returns the name under which a piece of prices has a span's model: with its host, if the span names one. */
const pricedName = ({ model, metadata }: Span): string => {
  const host = hostOfSpan(metadata);
  return host === null ? (model ?? "") : `${host}\n${model}`;
};

/** Adds to each span the current price of its model. */
export const pricedSpans = (spans: readonly IdentifiedSpan[], priceOf: PriceOf): readonly IdentifiedSpan[] =>
  spans.map((span) => ({ ...span, ...priceWith(span, priceOf) }));

/** Adds to each span of a trace the current price of its model. */
export const pricedTrace = (trace: IdentifiedTrace, priceOf: PriceOf): IdentifiedTrace =>
  trace.spans === undefined ? trace : { ...trace, spans: pricedSpans(trace.spans, priceOf) };

/** Adds to a patch of a span the current price of the model it names. */
export const pricedUpdate = (update: PricedUpdate, priceOf: PriceOf): PricedUpdate => ({
  ...update,
  ...priceWith(update, priceOf),
});

/** Replaces the prices of spans whose model, at its host, is in `prices`; other spans stay unchanged. */
export const repricedSpans = (spans: readonly Span[], prices: ReadonlyMap<string, ModelPrice>): readonly Span[] =>
  spans.map((span) => {
    const price = span.model === null ? undefined : prices.get(pricedName(span));
    return price === undefined ? span : { ...span, price };
  });

/**
 * Returns the current prices of models whose spans would have another cost with them; models without a current price
 * are left out.
 */
export const newerPrices = (
  spans: readonly Span[],
  priceOf: PriceOf,
): readonly (readonly [model: string, price: ModelPrice])[] => {
  const prices = new Map<string, ModelPrice>();
  for (const span of spans) {
    const name = pricedName(span);
    const price = prices.has(name) ? undefined : currentPrice(span, priceOf);
    if (price === undefined) continue;
    const [newCost, currentCost] = [listedCost({ ...span, price }), listedCost(span)];
    if (newCost?.input !== currentCost?.input || newCost?.output !== currentCost?.output) prices.set(name, price);
  }
  return [...prices];
};
