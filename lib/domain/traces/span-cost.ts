import { toDouble, type JsonObject } from "../json.ts";
import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate } from "./input.ts";
import { hostOfSpan } from "./model-host.ts";
import { pricesAt, standardTier, type ModelPrice, type TokenPrices } from "./model-price.ts";
import type { Span } from "./trace.ts";
import { splitTokens, tokenKinds, tokensOfSide, type SplitTokens } from "./usage/split-tokens.ts";

/** Costs are computed in trillionths of a dollar, the finest unit of any price list. */
export const costScale = 1e12;

/** Trillionths of a dollar per token at a price of one dollar per million tokens. */
const scaled = costScale / 1e6;

/** Names of the standard service tier in usage of OpenAI, Anthropic, Google, Bedrock and Groq. */
const standardTiers = new Set(["", "auto", "default", "on_demand", standardTier, "unspecified"]);

/** Returns the service tier of a call by its usage, in lower case. */
const serviceTierOf = ({ service_tier: tier }: JsonObject): string => {
  const name = typeof tier === "string" ? tier.trim().toLowerCase() : "";
  return standardTiers.has(name) ? standardTier : name;
};

/** Limits a sum to the finite range, since JSON has no infinity: the sum of finite numbers may overflow. */
export const limitToFinite = (sum: number): number => Math.min(sum, Number.MAX_VALUE);

/** Rounds away the error of adding doubles: 0.3 for 0.1 + 0.2. Other values are unchanged. */
export const roundedCost = (sum: number): number => {
  const rounded = Math.round(sum * costScale) / costScale;
  return Math.abs(rounded - sum) <= sum * 2 ** -46 ? rounded : limitToFinite(sum);
};

/** Names of the parts of a cost, in all spellings: those of the prompt, and those of the completion. */
const costParts = [
  ["prompt", "input"],
  ["completion", "output"],
] as const;

/** Returns the cost that the client sent of a span, US dollars: its total, else the sum of prompt and completion; null without any. */
export const clientTotal = ({ cost }: Pick<Span, "cost">): number | null => {
  const amountOf = (names: readonly string[]): readonly number[] =>
    names
      .flatMap((name) => {
        const amount = toDouble(cost?.[name] ?? null);
        return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? [amount] : [];
      })
      .slice(0, 1);
  const [total] = amountOf(["total"]);
  const parts = costParts.flatMap(amountOf);
  return total ?? (parts.length === 0 ? null : roundedCost(parts.reduce((sum, part) => sum + part, 0)));
};

/** True if the client sent the cost of a span. */
export const hasClientCost = (span: Pick<Span, "cost">): boolean => clientTotal(span) !== null;

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

type BilledSpan = Pick<Span, "price" | "cost" | "token_usage" | "started_at" | "model">;

/** Returns the listed prices that apply to a span; null without any. */
const pricesOfSpan = (span: BilledSpan, tokens: SplitTokens): TokenPrices | null => {
  const { price, token_usage: usage, started_at: at } = span;
  if (price === undefined || usage === null || hasClientAmount(span)) return null;
  return pricesAt(price, at, tokensOfSide(tokens, "prompt"), serviceTierOf(usage));
};

/** Tokens of a span by kind, with their price if there is one. */
const pricedTokens = (side: keyof typeof tokenKinds, tokens: SplitTokens, prices: Partial<TokenPrices>) =>
  tokenKinds[side].map(([kind, price]) => ({
    count: tokens[kind],
    dollars: price === null ? undefined : prices[price],
  }));

const costIn = (parts: ReturnType<typeof pricedTokens>): number =>
  Math.round(parts.reduce((sum, { count, dollars = 0 }) => sum + count * dollars, 0) * scaled);

/**
 * Computes the cost of a span with the prices stored with it, rounded to trillionths of a dollar; null if the client
 * sent the cost, or if there are no tokens or no price.
 *
 * @param tokens the tokens that are counted; all by default.
 */
export const listedCost = (span: BilledSpan, tokens = splitTokens(span)): ListedCost | null => {
  const prices = pricesOfSpan(span, tokens);
  if (prices === null) return null;
  const [prompt, completion] = [pricedTokens("prompt", tokens, prices), pricedTokens("completion", tokens, prices)];
  if ([...prompt, ...completion].every(({ count, dollars }) => count === 0 || dollars === undefined)) return null;
  const [input, output] = [costIn(prompt), costIn(completion)];
  return {
    input: input / costScale,
    output: output / costScale,
    total: (input + output) / costScale,
    source: "price_list",
  };
};

/**
 * Returns the number of a span's tokens with unknown cost: all, or those of kinds without a price; 0 if the client sent the cost.
 *
 * @param tokens the tokens that are counted; all by default.
 */
export const unpricedTokensOf = (span: BilledSpan, tokens = splitTokens(span)): number => {
  if (hasClientCost(span)) return 0;
  const prices = pricesOfSpan(span, tokens) ?? {};
  const parts = [...pricedTokens("prompt", tokens, prices), ...pricedTokens("completion", tokens, prices)];
  return Math.round(parts.reduce((sum, { count, dollars }) => sum + (dollars === undefined ? count : 0), 0));
};

/** Returns the cost of a span: the client's if it sent one, else that of the price list. */
export const costOfSpan = (span: BilledSpan): JsonObject | null => {
  const priceListCost = listedCost(span);
  if (priceListCost !== null) return { ...span.cost, ...priceListCost };
  const total = clientTotal(span);
  // A total that was sent keeps its digits.
  const isSent = total === null || toDouble(span.cost?.["total"] ?? null) === total;
  return isSent ? span.cost : { ...span.cost, total };
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
