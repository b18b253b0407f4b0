import { nameAdvice, nearestName } from "../../lib/domain/nearest-name.ts";
import { isDecisionModel, modelId, resolveModel } from "../../lib/domain/runs/model.ts";
import type { ServiceTier } from "../../lib/domain/runs/tier.ts";
import { defaultJudge, listedJudges } from "../../lib/judge/prices/listed-judges.ts";
import { modelRules } from "../../lib/judge/prices/model-rules.ts";
import {
  isOwnServer,
  providerCatalogue,
  providerEntry,
  type ProviderKey,
} from "../../lib/judge/providers/provider-settings.ts";
import { flexShare, priceOf } from "../../lib/prices/judge-prices.ts";
import type { Providers } from "./judge-settings.ts";

/** Settings of judges that are checked against each other. */
export interface JudgeSettings {
  readonly judgeModel: string;
  readonly judgeModels: readonly string[];
  readonly embeddingModel?: string;
  readonly providers: Providers;
  readonly judgeTier: ServiceTier;
  readonly prices: Readonly<
    Record<string, { readonly input: number; readonly output: number; readonly cached?: number }>
  >;
  readonly efforts?: Readonly<Record<string, unknown>>;
  readonly transcripts?: {
    readonly characters?: Readonly<Record<string, unknown>>;
    readonly pictures?: Readonly<Record<string, unknown>>;
  };
  readonly tracePrices: readonly { readonly model: string; readonly from?: string }[];
  readonly monthlyCostCeilingUsd?: number;
  readonly projectMonthlyCostCeilingUsd?: number;
  readonly organizationMonthlyCostCeilingUsd?: number;
}

/** Providers whose connections do not support embedding models. */
export const providersWithoutEmbeddings: ReadonlySet<ProviderKey> = new Set([
  "anthropic",
  "openai-decisions",
  "systemone",
]);

const providerKeys = providerCatalogue.map(({ key }) => key);

const unknownProvider = (setting: string, provider: string): string =>
  `The setting ${setting} names the provider ${provider}, which does not exist${nameAdvice(provider, providerKeys)}`;

/** Returns an error if the provider of a model setting is unknown or unsuitable, or in a deployment not configured. */
const modelConflicts = (
  setting: "judgeModel" | "embeddingModel",
  { providers, [setting]: model }: JudgeSettings,
  isLocal: boolean,
) => {
  const provider = model === undefined ? undefined : resolveModel(model)?.provider;
  if (provider === undefined) return [];
  const entry = providerEntry(provider);
  if (entry === undefined) return [unknownProvider(setting, provider)];
  if (entry.key === "offline" && !isLocal)
    return [`The setting ${setting} is ${model}, which runs on a local machine only: name a model of a provider.`];
  if (setting === "judgeModel" && /embed/iu.test(String(model)))
    return [`The setting judgeModel is ${model}, an embedding model: name one that chats, such as ${defaultJudge}.`];
  if (setting === "embeddingModel" && providersWithoutEmbeddings.has(entry.key))
    return [`The setting embeddingModel names the provider ${provider}, which has no embeddings.`];
  if (providers[entry.key] === undefined && !isLocal)
    return [
      `The setting ${setting} names the provider ${provider}, which is not configured: add it to the setting providers.`,
    ];
  return [];
};

/** Returns an error for each model name of a provider that does not exist, which would match no model. */
const nameConflicts = ({ judgeModels, prices, efforts = {}, transcripts = {} }: JudgeSettings): readonly string[] => {
  const namesBySetting: Readonly<Record<string, readonly string[]>> = {
    judgeModels,
    prices: Object.keys(prices),
    efforts: Object.keys(efforts),
    "transcripts.characters": Object.keys(transcripts.characters ?? {}),
    "transcripts.pictures": Object.keys(transcripts.pictures ?? {}),
  };
  return Object.entries(namesBySetting).flatMap(([setting, names]) =>
    names.flatMap((name) => {
      const provider = resolveModel(name)?.provider;
      const isKnown = provider === undefined || provider.includes("*") || providerEntry(provider) !== undefined;
      return isKnown ? [] : [unknownProvider(setting, provider)];
    }),
  );
};

/** Providers whose embedding models all have a listed price. */
const listedEmbeddings: ReadonlySet<string> = new Set(["openai", "gemini"]);

/**
 * Returns an error for each named model that has no known price and that no pattern of `judgeModels` allows, which is a misspelt
 * one: its runs would be refused, or its setting would have no effect.
 */
const spellingConflicts = (settings: JudgeSettings): readonly string[] => {
  const { judgeModel, embeddingModel, judgeModels, efforts = {}, transcripts = {} } = settings;
  const hasPrice = (model: string): boolean =>
    priceOf(model, new Map()) !== null || Object.hasOwn(settings.prices, model);
  const isAllowed = modelRules(judgeModels, (model) => priceOf(model, new Map()));
  const named: readonly (readonly [setting: string, model: string])[] = [
    ["judgeModel", judgeModel],
    ...Object.keys(efforts).map((model) => ["efforts", model] as const),
    ...[transcripts.characters, transcripts.pictures].flatMap((models = {}) =>
      Object.keys(models).map((model) => ["transcripts", model] as const),
    ),
    ...(embeddingModel === undefined ? [] : [["embeddingModel", embeddingModel] as const]),
  ];
  const listed: readonly string[] = [...listedJudges, ...Object.keys(settings.prices)];
  return named.flatMap(([setting, text]) => {
    const model = resolveModel(text);
    if (model === null || providerEntry(model.provider) === undefined) return [];
    if (setting === "embeddingModel" && !listedEmbeddings.has(model.provider)) return [];
    const id = modelId(model);
    if (hasPrice(id) || isAllowed(id) === null || (setting !== "judgeModel" && text === judgeModel)) return [];
    const near = nearestName(id, listed);
    const advice = near === null ? "." : `; did you mean ${near}?`;
    return [
      `The setting ${setting} names the model ${text}, whose price is not known${advice} If the name is right, list it in judgeModels or give it a price in prices.`,
    ];
  });
};

/** Returns an error if runs would ask for the flex tier of a model that has none. */
const tierConflicts = ({ judgeTier, judgeModel }: JudgeSettings): readonly string[] => {
  const model = resolveModel(judgeModel);
  return judgeTier !== "flex" ||
    model === null ||
    providerEntry(model.provider) === undefined ||
    flexShare(modelId(model)) < 1
    ? []
    : [
        `The setting judgeTier is flex, which is not sold for the judgeModel ${judgeModel}: remove it, or name a model that has the tier, such as ${defaultJudge}.`,
      ];
};

/** True for models that may cost nothing: those of the operator's own servers, and OpenRouter's free ones. */
const mayBeFree = (provider: string, model: string): boolean =>
  isOwnServer(provider) || providerEntry(provider)?.key === "offline" || model.endsWith(":free");

/** Returns an error for each price of zero, by which calls of a provider that charges would never reach a ceiling. */
const freeConflicts = ({ prices, embeddingModel }: JudgeSettings): readonly string[] =>
  Object.entries(prices).flatMap(([name, price]) => {
    const model = resolveModel(name);
    if (model === null || mayBeFree(model.provider, name)) return [];
    const zeros = (["input", "cached", "output"] as const).filter(
      (part) => price[part] === 0 && !(part === "output" && (isDecisionModel(name) || name === embeddingModel)),
    );
    return zeros.length === 0
      ? []
      : [
          `The setting prices has ${zeros.join(" and ")} 0 for ${name}, whose provider charges, so that no ceiling would count its calls: write US dollars per million tokens.`,
        ];
  });

const ceilings = [
  "monthlyCostCeilingUsd",
  "projectMonthlyCostCeilingUsd",
  "organizationMonthlyCostCeilingUsd",
] as const;

/** Returns an error if no run by the default judge could start, since a ceiling reserves the cost of each call. */
const priceConflicts = (settings: JudgeSettings): readonly string[] => {
  const ceiling = ceilings.find((name) => settings[name] !== undefined);
  const model = resolveModel(settings.judgeModel);
  if (ceiling === undefined || model === null || providerEntry(model.provider) === undefined) return [];
  const id = modelId(model);
  return Object.hasOwn(settings.prices, id) || priceOf(id, new Map()) !== null
    ? []
    : [
        `The setting judgeModel is ${settings.judgeModel}, whose price is not known, so that ${ceiling} would refuse its runs: add ${id} to the setting prices.`,
      ];
};

/** Returns an error for each configured provider without a parameter that its calls need. */
const providerConflicts = ({ providers }: JudgeSettings): readonly string[] =>
  providerCatalogue.flatMap(({ key, required }) => {
    const parameters = providers[key];
    if (parameters === undefined) return [];
    const missing = required.filter((name) => parameters[name] === undefined);
    if (missing.length > 0)
      return [`The setting providers.${key} has no ${missing.join(" and no ")}: its models could not be asked.`];
    return parameters.key !== undefined && parameters.key === parameters.baseUrl
      ? [`The setting providers.${key} names one parameter, ${parameters.key}, for the key and for the base URL.`]
      : [];
  });

const repeatedPrices = ({ tracePrices }: JudgeSettings): readonly string[] => {
  const prices = tracePrices.map(({ model, from = "" }) => `${model.toLowerCase()} ${from}`.trim());
  return [...new Set(prices.filter((price, at) => prices.indexOf(price) !== at))].map(
    (price) => `The setting tracePrices has two prices for ${price}: one would be ignored.`,
  );
};

const chatModels: readonly string[] = listedJudges;

/** Returns an error for each model that is misspelt or cannot do what it is named for. @param isLocal true for `npm start`, which has the offline judge */
export const modelNameConflicts = (settings: JudgeSettings, isLocal: boolean): readonly string[] => [
  ...modelConflicts("judgeModel", settings, isLocal),
  ...modelConflicts("embeddingModel", settings, isLocal),
  ...(settings.embeddingModel !== undefined && chatModels.includes(settings.embeddingModel)
    ? [`The setting embeddingModel is ${settings.embeddingModel}, a chat model: name one that returns embeddings.`]
    : []),
  ...nameConflicts(settings),
  ...spellingConflicts(settings),
];

/** Returns conflicts of judges in a deployed stack; `npm start` permits those that are not among `modelNameConflicts`. */
export const judgeConflicts = (settings: JudgeSettings): readonly string[] => [
  ...modelNameConflicts(settings, false),
  ...tierConflicts(settings),
  ...freeConflicts(settings),
  ...priceConflicts(settings),
  ...providerConflicts(settings),
  ...repeatedPrices(settings),
];
