import { bedrockSpelling, modelSpelling, modelSpellings, type ModelSpelling } from "../domain/model-name.ts";
import type { ModelName } from "../domain/runs/model.ts";
import { modelHost } from "../domain/traces/model-host.ts";
import { rarePriceKeys } from "../domain/traces/model-price.ts";
import { priceList, type ListedModel, type ListedPrice } from "./listed-models.ts";

/** Claude before the generation of 4.5, whose price clouds charge in every Region. */
const sameInAllRegions = /^claude-(?:\d|(?:opus|sonnet)-4(?:-[01])?(?![\d-]))/u;

/** Share of the maker's price that clouds charge for later models of Anthropic where the endpoint is not a global one. */
const regionalFactor = 1.1;

const scaledKeys = ["input", "output", "cached", "written", ...rarePriceKeys] as const;

const scaleModel = (model: ListedModel, factor: number): ListedModel =>
  factor === 1
    ? model
    : {
        ...model,
        prices: model.prices.map((price): ListedPrice => ({
          ...price,
          ...Object.fromEntries(
            scaledKeys.flatMap((key) => (price[key] === undefined ? [] : [[key, price[key] * factor]])),
          ),
        })),
      };

const firstListed = (names: readonly string[]): ListedModel | null => {
  const name = names.find((each) => priceList.has(each));
  return (name === undefined ? undefined : priceList.get(name)) ?? null;
};

/** Finds the listed prices of a maker's model by any spelling of its name. */
const listedByMaker = (name: string, isRegional = false): ListedModel | null => {
  const names = modelSpellings(name);
  const model = firstListed(names);
  const isSurcharged = isRegional && name.startsWith("claude-") && !names.some((each) => sameInAllRegions.test(each));
  return model === null ? null : scaleModel(model, isSurcharged ? regionalFactor : 1);
};

/** Finds the listed prices of a model by its Bedrock id (`eu.amazon.nova-pro-v1:0`); makers other than Anthropic have prices of their own on Bedrock. */
const listedOnBedrock = (id: string): ListedModel | null => {
  const { name, plainName, isGlobal } = bedrockSpelling(id);
  return plainName.startsWith("anthropic.claude-")
    ? listedByMaker(plainName.slice("anthropic.".length), !isGlobal)
    : firstListed([id, name, plainName].filter((each) => each.includes(".")));
};

/**
 * Finds the listed prices of OpenAI's, Anthropic's or Google's model by OpenRouter's id, in which a version may precede the model
 * (`claude-4.5-sonnet`); it charges the makers' prices, whichever of its hosts serves them.
 */
export const listedByReseller = (id: string): ListedModel | null => {
  const name =
    /^(?:openai|anthropic|google)\/(?<name>[a-z0-9.-]+)(?::(?:beta|exacto|extended|floor|nitro|online|thinking))?$/u.exec(
      id,
    );
  return name?.groups?.["name"] === undefined ? null : listedByMaker(name.groups["name"]);
};

/** Beginning of a model's name that names a host, in front of the host's own name of the model. */
const hostPrefix = /^(?:accounts\/)?(?<host>[a-z._-]+)[/:]/u;

/** Makers of open weights, whose other models have names of their own in the list. */
const makersOfOpenWeights = new Set(["deepseek", "minimax", "mistral", "moonshotai", "zai", "zhipuai"]);

/** Models that Azure sells at the maker's price; it has prices of its own for open weights. */
const soldOnAzure = /^(?:ft:|gpt-|o\d|codex-|text-embedding-|claude-)/u;

/** Finds the listed prices of a model at a host, without those of the maker's other models. */
const listedAtHost = (host: string, id: string): ListedModel | null => {
  const name = id.replace(/^(?:accounts\/fireworks\/)?(?:models|routers)\//u, "");
  return firstListed(modelSpellings(`${host}/${name}`)) ?? (host === "openrouter" ? listedByReseller(name) : null);
};

const listedAtService = ({ name, service, isRegional }: ModelSpelling): ListedModel | null => {
  if (service === "azure") return soldOnAzure.test(name) ? listedByMaker(name) : null;
  return listedByMaker(name, isRegional) ?? listedOnBedrock(name);
};

/** Finds the listed prices of a judge's model; null for models that are not listed, and for custom servers. */
export const listedJudge = ({ provider, name }: ModelName): ListedModel | null => {
  switch (provider) {
    case "openrouter":
      return listedAtHost(provider, name);
    case "bedrock":
      return listedOnBedrock(modelSpelling(name).name);
    case "openai":
    case "openai-decisions":
    case "anthropic":
    case "gemini":
    case "vertex_ai":
      return listedAtService(modelSpelling(name));
    default:
      return null;
  }
};

/**
 * Finds the listed prices of a model by its name in traces: the maker's name, with or without a provider prefix. Null for models
 * that are not listed, and for open weights without a host.
 *
 * @param spanHost host that the span names (`modelHost`), else the name's prefix; null if there is none.
 */
export const listedModel = (traceModel: string, spanHost: string | null): ListedModel | null => {
  const spelling = modelSpelling(traceModel);
  if (spelling.service === "azure") return listedAtService(spelling);
  const id = modelSpelling(traceModel, true).name;
  const prefix = hostPrefix.exec(id)?.groups?.["host"] ?? "";
  const prefixHost = prefix === "" ? null : modelHost(prefix);
  const host = spanHost ?? prefixHost;
  if (host !== null) {
    const atHost = listedAtHost(host, prefixHost === host ? id.replace(hostPrefix, "") : id);
    if (atHost !== null || !makersOfOpenWeights.has(host)) return atHost;
  }
  return listedAtService(spelling) ?? listedByReseller(id);
};
