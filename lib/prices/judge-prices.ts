import { isDecisionModel, resolveModel } from "../domain/runs/model.ts";
import { ceilingPrice } from "./listed-models.ts";
import { listedJudge } from "./model-names.ts";
import type { Price, Prices } from "./price.ts";

/**
 * Models with a flex service tier, which costs half the standard price at each of these providers. A call of a model that has none
 * after all is made, and billed, at the standard tier.
 */
const flexModels =
  /^(?:openai\/(?:gpt-[5-9]|o3(?!-mini)(?:-|$)|o4-mini)|gemini\/gemini-(?:2\.5|[3-9])(?!.*(?:image|live|tts|audio))|bedrock\/(?:[a-z]{2,6}\.)?(?:amazon\.nova-(?:2-lite|pro|premier)|openai\.gpt-oss|qwen\.qwen3|deepseek\.v3))/u;

/** Price of the offline judge. */
const freePrice: Price = { input: 0, cached: 0, output: 0, written: 0 };

const withoutOutput = ({ long, ...price }: Price): Price => ({
  ...price,
  output: 0,
  ...(long !== undefined && { long: { ...long, output: 0 } }),
});

/** Returns the price of `<provider>/<model>`, the operator's or else the listed one; null when it is unknown. */
export const priceOf = (model: string, operatorPrices: Prices): Price | null => {
  const operatorPrice = operatorPrices.get(model);
  if (operatorPrice !== undefined) return operatorPrice;
  const providerModel = resolveModel(model);
  if (providerModel === null) return null;
  if (providerModel.provider === "offline") return freePrice;
  const listed = listedJudge(providerModel);
  if (listed === null) return null;
  const price = ceilingPrice(listed);
  // Decision models write no text: they charge for their input alone.
  return isDecisionModel(model) ? withoutOutput(price) : price;
};

/** Returns the prices at the flex tier as shares of the standard price: of tokens read from the cache, and of others; 1 for models without a flex tier. */
export const flexShares = (model: string): readonly [share: number, cachedShare: number] => {
  if (!flexModels.test(model)) return [1, 1];
  const providerModel = resolveModel(model);
  return (providerModel && listedJudge(providerModel)?.tiers["flex"]) ?? [0.5, 0.5];
};

/** Returns the price of uncached tokens at the flex tier as a share of the standard price; 1 for models without a flex tier. */
export const flexShare = (model: string): number => flexShares(model)[0];
