import { resolveModel, type ModelName } from "../domain/runs/model.ts";
import type { Price, Prices } from "./price.ts";

const price = (input: number, cached: number, output: number, written = input): Price => ({
  input,
  cached,
  output,
  written,
});

/** Returns the price of a model whose maker bills tokens written to its cache at 1.25 times the input price. */
const withCacheWrites = (input: number, cached: number, output: number): Price =>
  price(input, cached, output, input * 1.25);

const embedding = (input: number): Price => price(input, input, 0);

/**
 * Prices of models by the maker's model name, US dollars per million tokens, as of 21 November 2026: standard tier, prompts
 * below the length from which makers charge more (at least 100,000 tokens; judge prompts have 20,000). Temporary promotions are
 * left out, so that spending ceilings stay valid. Models with an uncertain price are not listed; retired models keep their last
 * price, since traces still name them.
 *
 * Sources: developers.openai.com/api/docs/pricing, platform.claude.com/docs (each model's page),
 * ai.google.dev/gemini-api/docs/pricing, aws.amazon.com/bedrock/pricing, read through search results and trackers that cite
 * them. The operator's own prices (setting `prices`) win.
 */
export const priceList: ReadonlyMap<string, Price> = new Map([
  ["gpt-6.1-sol", withCacheWrites(2, 0.1, 10)],
  ["gpt-6.1-terra", withCacheWrites(1, 0.05, 5)],
  ["gpt-6-astra", withCacheWrites(10, 1, 50)],
  ["gpt-6-sol", withCacheWrites(2, 0.2, 10)],
  ["gpt-6-luna", withCacheWrites(0.1, 0.01, 0.5)],
  ["gpt-5.6-sol", withCacheWrites(5, 0.5, 30)],
  ["gpt-5.6-terra", withCacheWrites(2, 0.2, 12)],
  ["gpt-5.6-luna", withCacheWrites(0.2, 0.02, 1.2)],
  ["gpt-5.5", price(5, 0.5, 30)],
  ["gpt-5.4", price(2.5, 0.25, 15)],
  ["gpt-5.4-mini", price(0.75, 0.075, 4.5)],
  ["gpt-5.4-nano", price(0.2, 0.02, 1.25)],
  ["gpt-5.2", price(1.75, 0.175, 14)],
  ["gpt-5.1", price(1.25, 0.125, 10)],
  ["gpt-5", price(1.25, 0.125, 10)],
  ["gpt-5-mini", price(0.25, 0.025, 2)],
  ["gpt-5-nano", price(0.05, 0.005, 0.4)],
  ["gpt-4.1", price(2, 0.5, 8)],
  ["gpt-4.1-mini", price(0.4, 0.1, 1.6)],
  ["gpt-4.1-nano", price(0.1, 0.025, 0.4)],
  ["gpt-4o", price(2.5, 1.25, 10)],
  ["gpt-4o-mini", price(0.15, 0.075, 0.6)],
  ["gpt-4o-2024-05-13", price(5, 5, 15)],
  ["gpt-4-turbo", price(10, 10, 30)],
  ["gpt-4", price(30, 30, 60)],
  ["gpt-3.5-turbo", price(0.5, 0.5, 1.5)],
  ["o1", price(15, 7.5, 60)],
  ["o3", price(2, 0.5, 8)],
  ["o3-mini", price(1.1, 0.55, 4.4)],
  ["o4-mini", price(1.1, 0.275, 4.4)],
  ["claude-opus-5-5", withCacheWrites(4, 0.2, 20)],
  ["claude-opus-5", withCacheWrites(5, 0.5, 25)],
  ["claude-opus-4-6", withCacheWrites(5, 0.5, 25)],
  ["claude-opus-4-5", withCacheWrites(5, 0.5, 25)],
  ["claude-opus-4-1", withCacheWrites(15, 1.5, 75)],
  ["claude-opus-4", withCacheWrites(15, 1.5, 75)],
  ["claude-sonnet-5-5", withCacheWrites(2, 0.1, 10)],
  ["claude-sonnet-5", withCacheWrites(2, 0.2, 10)],
  ["claude-sonnet-4-6", withCacheWrites(3, 0.3, 15)],
  ["claude-sonnet-4-5", withCacheWrites(3, 0.3, 15)],
  ["claude-sonnet-4", withCacheWrites(3, 0.3, 15)],
  ["claude-3-7-sonnet", withCacheWrites(3, 0.3, 15)],
  ["claude-3-5-sonnet", withCacheWrites(3, 0.3, 15)],
  ["claude-haiku-5-5", withCacheWrites(0.1, 0.01, 0.5)],
  ["claude-haiku-4-5", withCacheWrites(1, 0.1, 5)],
  ["claude-3-5-haiku", withCacheWrites(0.8, 0.08, 4)],
  ["claude-3-haiku", price(0.25, 0.03, 1.25, 0.3)],
  ["gemini-3.8-flash", price(1.5, 0.15, 7.5)],
  ["gemini-3.7-flash", price(1.5, 0.15, 7.5)],
  ["gemini-3.6-flash", price(1.5, 0.15, 7.5)],
  ["gemini-3.5-flash", price(1.5, 0.15, 9)],
  ["gemini-3.5-flash-lite", price(0.3, 0.03, 2.5)],
  ["gemini-3.1-flash-lite", price(0.25, 0.025, 1.5)],
  ["gemini-2.5-pro", price(1.25, 0.125, 10)],
  ["gemini-2.5-flash", price(0.3, 0.03, 2.5)],
  ["gemini-2.5-flash-lite", price(0.1, 0.01, 0.4)],
  ["gemini-2.0-flash", price(0.1, 0.025, 0.4)],
  ["gemini-2.0-flash-lite", price(0.075, 0.075, 0.3)],
  ["text-embedding-3-small", embedding(0.02)],
  ["text-embedding-3-large", embedding(0.13)],
  ["text-embedding-ada-002", embedding(0.1)],
]);

/** Date of the price list, `YYYY-MM-DD`. */
export const priceListDate = "2026-11-21";

/** Returns the URL of the maker's price page for a listed model. */
export const priceSource = (name: string): string => {
  if (name.startsWith("claude-")) return "https://platform.claude.com/docs";
  return name.startsWith("gemini-")
    ? "https://ai.google.dev/gemini-api/docs/pricing"
    : "https://developers.openai.com/api/docs/pricing";
};

/** Maker's name of a model, and a reseller's price as a multiple (`factor`) of the maker's price. */
interface MakerName {
  readonly name: string;
  readonly factor: number;
}

/**
 * Removes the date of a model version (`-2026-03-17`, `-20251001`, `-latest`, Google's `-001`), unless the list has a price for
 * that version.
 */
const withoutDate = (name: string): string =>
  priceList.has(name) ? name : name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d|latest)$/u, "");

const directName = (name: string): MakerName => ({ name: withoutDate(name), factor: 1 });

/** Replaces dots in the version of a Claude model by dashes, since resellers write `claude-x.y` for `claude-x-y`. */
const withDashes = (name: string): string => (name.startsWith("claude-") ? name.replaceAll(".", "-") : name);

/**
 * Maps a Bedrock id of Claude (`anthropic.claude-sonnet-4-5-20250929-v1:0`) to Anthropic's name. Ids with the prefix `global.`
 * cost Anthropic's price, ids with a Region's prefix or none 10 % more. Null for models of other makers.
 */
const onBedrock = (id: string): MakerName | null => {
  const match = /^(?:(global|[a-z]{2,4}(?:-gov)?)\.)?anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/u.exec(id);
  return match?.[2] === undefined ? null : { name: withoutDate(match[2]), factor: match[1] === "global" ? 1 : 1.1 };
};

/** Maps an OpenRouter id to the maker's name; OpenRouter charges the makers' prices. */
const onOpenRouter = (id: string): MakerName | null => {
  const name = /^(?:openai|anthropic|google)\/(?<name>[a-z0-9.-]+)$/u.exec(id)?.groups?.["name"];
  return name === undefined ? null : directName(withDashes(name));
};

/** Returns the maker's name of a provider's model; null for custom servers and unknown ids. */
const makerName = ({ provider, name }: ModelName): MakerName | null => {
  switch (provider) {
    case "openai":
    case "anthropic":
    case "gemini":
      return directName(name);
    case "vertex_ai":
      return directName(name.replace(/^google\//u, ""));
    case "bedrock":
      return onBedrock(name);
    case "openrouter":
      return onOpenRouter(name);
    default:
      return null;
  }
};

const scalePrice = ({ input, cached, output, written }: Price, factor: number): Price => ({
  input: input * factor,
  cached: cached * factor,
  output: output * factor,
  written: written * factor,
});

/** Prefixes before the maker's model name in traces of SDKs and frameworks. */
const makerPrefix =
  /^(?:models|openai(?:-chat|-responses)?|anthropic|google|gemini|vertex_ai|google[-_](?:gla|genai|vertex|vertexai))[/:]/u;
const bedrockPrefix = /^bedrock(?:_converse)?[/:](?:converse\/)?/u;

/**
 * Finds the price of a model by its name in traces: the maker's name, with or without a provider prefix. Null for models that
 * are not listed.
 */
export const listedPrice = (traceModel: string): Price | null => {
  const id = traceModel.trim().toLowerCase();
  const providerModel = resolveModel(id);
  const names = [
    directName(withDashes(id.replace(makerPrefix, "").replace(/@(?=\d{8}$)/u, "-"))),
    onBedrock(id.replace(bedrockPrefix, "")),
    providerModel === null ? null : makerName(providerModel),
  ];
  for (const maker of names) {
    const makerPrice = maker === null ? undefined : priceList.get(maker.name);
    if (maker !== null && makerPrice !== undefined) return scalePrice(makerPrice, maker.factor);
  }
  return null;
};

/** OpenAI's models with a flex service tier, at half the standard price. */
const flexModels = /^openai\/(?:gpt-[5-9]|o3(?!-mini)(?:-|$)|o4-mini)/u;

/** Returns the price at the flex tier as a share of the standard price; 1 for models without a flex tier. */
export const flexShare = (model: string): number => (flexModels.test(model) ? 0.5 : 1);

/** Price of the offline judge. */
const freePrice: Price = { input: 0, cached: 0, output: 0, written: 0 };

/** Returns the price of `<provider>/<model>`, the operator's or else the listed one; null when it is unknown. */
export const priceOf = (model: string, operatorPrices: Prices): Price | null => {
  const operatorPrice = operatorPrices.get(model);
  if (operatorPrice !== undefined) return operatorPrice;
  const providerModel = resolveModel(model);
  if (providerModel === null) return null;
  if (providerModel.provider === "offline") return freePrice;
  const maker = makerName(providerModel);
  const makerPrice = maker === null ? undefined : priceList.get(maker.name);
  return maker === null || makerPrice === undefined ? null : scalePrice(makerPrice, maker.factor);
};
