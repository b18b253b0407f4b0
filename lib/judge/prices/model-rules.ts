import { fullModelName } from "../../domain/runs/model.ts";
import type { Price } from "../../prices/price.ts";
import { wildcard } from "../../prices/trace-prices.ts";

/** Pattern that stands for every model with a known price. */
const pricedModels = "priced";

/** Models that may be asked unless the operator lists others: priced ones, the offline judge, and those of the operator's own server. */
export const defaultJudgeModels: readonly string[] = [pricedModels, "offline/rules", "custom/*", "systemone/*"];

/**
 * Returns the patterns that hold unless the operator sets others.
 *
 * @param hasOpenAiServer true if the operator has named a base URL for `openai`, whose server has models of its own.
 */
export const modelsOfServers = (hasOpenAiServer: boolean): readonly string[] =>
  hasOpenAiServer ? [...defaultJudgeModels, "openai/*"] : defaultJudgeModels;

/** Returns why a model must not be asked, as a sentence for users; null if it may be asked. */
export type ModelRefusal = (model: string) => string | null;

/**
 * Creates the rule which judge models may be asked.
 *
 * @param patterns names `<provider>/<model>`, in which `*` matches any characters, or `priced`.
 */
export const modelRules = (patterns: readonly string[], priceOf: (model: string) => Price | null): ModelRefusal => {
  const matchers = patterns.filter((pattern) => pattern !== pricedModels).map(wildcard);
  const allowsPriced = patterns.includes(pricedModels);
  return (text) => {
    const model = fullModelName(text);
    if (matchers.some((matches) => matches(model.toLowerCase()))) return null;
    if (!allowsPriced)
      return `The model ${model} may not be asked: this deployment's setting 'judgeModels' does not list it.`;
    return priceOf(model) === null
      ? `The model ${model} may not be asked, because its price is not known: list it in this deployment's setting 'judgeModels', or give it a price in 'prices'.`
      : null;
  };
};
