import { resolveModel, type ModelName } from "../domain/runs/model.ts";
import { modelHost } from "../domain/traces/model-host.ts";
import { rarePriceKeys } from "../domain/traces/model-price.ts";
import { priceList, type ListedModel, type ListedPrice } from "./listed-models.ts";

/** Maker's name of a model, and a reseller's price as a multiple (`factor`) of the maker's price. */
interface MakerName {
  readonly name: string;
  readonly factor: number;
}

/**
 * Removes the date of a model version (`-2026-03-17`, `-20251001`, `-latest`, Google's `-001`), unless the list has a price for
 * that version. Mistral's `-latest` is another model each year.
 */
const withoutDate = (name: string): string =>
  priceList.has(name) ? name : name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|00\d|(?<!stral.*-)latest)$/u, "");

/** Replaces the dash in the version of OpenAI's models by a dot, unless the list has a price for that spelling. */
const withDot = (name: string): string =>
  priceList.has(name) ? name : name.replace(/^gpt-(\d)-(\d)(?![\d])/u, "gpt-$1.$2");

const directName = (name: string): MakerName => ({ name: withDot(withoutDate(name)), factor: 1 });

/** Replaces dots in the version of a Claude model by dashes, since resellers write `claude-x.y` for `claude-x-y`. */
const withDashes = (name: string): string => (name.startsWith("claude-") ? name.replaceAll(".", "-") : name);

const regionPrefix = /^(?<region>global|[a-z]{2,4}(?:-gov)?)\./u;

/**
 * Maps a Bedrock id (`eu.amazon.nova-pro-v1:0`) to listed names. Claude costs Anthropic's price with the prefix `global.`, and with
 * a Region's prefix or none 10 % more; other makers have prices of their own on Bedrock.
 */
const onBedrock = (id: string): readonly MakerName[] => {
  const name = id.replace(/(?:-v\d+)?(?::\d+)?$/u, "");
  const region = regionPrefix.exec(name)?.groups?.["region"];
  const plainName = name.replace(regionPrefix, "");
  if (plainName.startsWith("anthropic.claude-"))
    return [{ name: withoutDate(plainName.slice("anthropic.".length)), factor: region === "global" ? 1 : 1.1 }];
  return [id, name, plainName].filter((each) => each.includes(".")).map((each) => ({ name: each, factor: 1 }));
};

/** Returns the listed names of a provider's model; none for custom servers. */
const makerNames = ({ provider, name }: ModelName): readonly MakerName[] => {
  switch (provider) {
    case "openai":
    case "openai-decisions":
    case "anthropic":
    case "gemini":
      return [directName(name)];
    case "vertex_ai":
      return [directName(name.replace(/^google\//u, ""))];
    case "bedrock":
      return onBedrock(name);
    default:
      return [];
  }
};

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

const firstListed = (names: readonly MakerName[]): ListedModel | null => {
  for (const { name, factor } of names) {
    const model = priceList.get(name);
    if (model !== undefined) return scaleModel(model, factor);
  }
  return null;
};

/**
 * Finds the listed prices of OpenAI's, Anthropic's or Google's model by OpenRouter's id, in which a version may precede the model
 * (`claude-4.5-sonnet`); it charges the makers' prices.
 */
export const listedByReseller = (id: string): ListedModel | null => {
  const name = /^(?:openai|anthropic|google)\/(?<name>[a-z0-9.-]+)$/u.exec(id)?.groups?.["name"];
  if (name === undefined) return null;
  const names = [name, name.replace(/^claude-([\d.]+)-([a-z]+)/u, "claude-$2-$1")];
  return firstListed(names.map((each) => directName(withDashes(each))));
};

/** Prefixes before the maker's model name in traces of SDKs and frameworks. */
const makerPrefix =
  /^(?:models|openai(?:-chat|-responses)?|anthropic|google|gemini|vertex_ai|xai|x-ai|cohere(?:_chat)?|mistral(?:ai)?|google[-_](?:gla|genai|vertex|vertexai))[/:]/u;
const bedrockPrefix = /^bedrock(?:_converse)?[/:](?:converse\/)?/u;

/** Beginning of a model's name that names a host, in front of the host's own name of the model. */
const hostPrefix = /^(?:accounts\/)?(?<host>[a-z._-]+)[/:]/u;

/** Words of OpenRouter's ids that have no effect on the price, unless the list has them. */
const openRouterVariant = /:(?:beta|extended|thinking)$/u;

/** Makers of open weights, whose other models have names of their own in the list. */
const makersOfOpenWeights = new Set(["deepseek", "minimax", "mistral", "moonshotai", "zai", "zhipuai"]);

/** Finds the listed prices of a model at a host, without those of the maker's other models. */
const listedAtHost = (host: string, id: string): ListedModel | null => {
  const name = id.replace(/^(?:accounts\/fireworks\/)?(?:models|routers)\//u, "");
  const names = [name, name.replace(openRouterVariant, "")].map((each) => directName(`${host}/${each}`));
  return firstListed(names) ?? (host === "openrouter" ? listedByReseller(name) : null);
};

/** Finds the listed prices of a judge's model; null for models that are not listed. */
export const listedJudge = (model: ModelName): ListedModel | null =>
  model.provider === "openrouter" ? listedAtHost(model.provider, model.name) : firstListed(makerNames(model));

/**
 * Finds the listed prices of a model by its name in traces: the maker's name, with or without a provider prefix. Null for models
 * that are not listed, and for open weights without a host.
 *
 * @param spanHost host that the span names (`modelHost`), else the name's prefix; null if there is none.
 */
export const listedModel = (traceModel: string, spanHost: string | null): ListedModel | null => {
  const id = traceModel.trim().toLowerCase();
  const prefix = hostPrefix.exec(id)?.groups?.["host"] ?? "";
  const prefixHost = prefix === "" ? null : modelHost(prefix);
  const host = spanHost ?? prefixHost;
  if (host !== null) {
    const atHost = listedAtHost(host, prefixHost === host ? id.replace(hostPrefix, "") : id);
    if (atHost !== null || !makersOfOpenWeights.has(host)) return atHost;
  }
  const providerModel = resolveModel(id);
  return (
    firstListed([
      directName(withDashes(id.replace(makerPrefix, "").replace(/@(?=\d{8}$)/u, "-"))),
      ...onBedrock(id.replace(bedrockPrefix, "")),
      ...(providerModel === null ? [] : makerNames(providerModel)),
    ]) ?? listedByReseller(id)
  );
};
