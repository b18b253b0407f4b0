import { nearestName } from "../../lib/domain/nearest-name.ts";
import { resolveModel } from "../../lib/domain/runs/model.ts";
import { providerCatalogue, providerEntry, type ProviderKey } from "../../lib/judge/providers/provider-settings.ts";
import type { Providers } from "./judge-settings.ts";

/** Settings that are checked against each other. */
interface RelatedSettings {
  readonly stage: string;
  readonly judgeModel: string;
  readonly embeddingModel?: string;
  readonly providers: Providers;
  readonly monthlyCostCeilingUsd?: number;
  readonly projectMonthlyCostCeilingUsd?: number;
  readonly organizationMonthlyCostCeilingUsd?: number;
  readonly maxTargetsPerRun: number;
  readonly maxTargetsPerBatch: number;
  readonly endpointType: "regional" | "private";
  readonly vpcEndpointIds?: readonly string[];
  readonly domain?: object;
  readonly defaultAddress: boolean;
}

/** Providers whose connections do not support embedding models. */
export const providersWithoutEmbeddings: ReadonlySet<ProviderKey> = new Set(["anthropic"]);

const providerKeys = providerCatalogue.map(({ key }) => key);

/** Returns an error if the provider of a model setting is unknown, not configured, or unsuitable for a deployment. */
const modelConflicts = (setting: "judgeModel" | "embeddingModel", { providers, [setting]: model }: RelatedSettings) => {
  const provider = model === undefined ? undefined : resolveModel(model)?.provider;
  if (provider === undefined) return [];
  const entry = providerEntry(provider);
  if (entry === undefined) {
    const suggestion = nearestName(provider, providerKeys);
    const end = suggestion === null ? "." : `; did you mean ${suggestion}?`;
    return [`The setting ${setting} names the provider ${provider}, which does not exist${end}`];
  }
  if (entry.key === "offline")
    return [`The setting ${setting} is ${model}, which runs on a local machine only: name a model of a provider.`];
  if (setting === "embeddingModel" && providersWithoutEmbeddings.has(entry.key))
    return [`The setting embeddingModel names the provider ${provider}, which has no embeddings.`];
  if (providers[entry.key] === undefined)
    return [
      `The setting ${setting} names the provider ${provider}, which is not configured: add it to the setting providers.`,
    ];
  return [];
};

/** Monthly ceilings with their scope; no ceiling may exceed one that follows it. */
const ceilings = [
  ["projectMonthlyCostCeilingUsd", "project"],
  ["organizationMonthlyCostCeilingUsd", "organization"],
  ["monthlyCostCeilingUsd", "deployment"],
] as const;

const ceilingConflicts = (settings: RelatedSettings): readonly string[] =>
  ceilings.flatMap(([name, scopeName], index) => {
    const ceiling = settings[name];
    const lowerCeiling = ceilings
      .slice(index + 1)
      .find(([otherName]) => ceiling !== undefined && ceiling > (settings[otherName] ?? ceiling));
    return lowerCeiling === undefined
      ? []
      : [
          `The setting ${name} is ${ceiling}, above ${lowerCeiling[0]}, ${settings[lowerCeiling[0]]}: no ${scopeName} could reach it.`,
        ];
  });

const batchConflicts = ({ maxTargetsPerBatch: batch, maxTargetsPerRun: run }: RelatedSettings) =>
  batch > run
    ? [
        `The setting maxTargetsPerBatch is ${batch}, above maxTargetsPerRun, ${run}: the targets of a list become one run.`,
      ]
    : [];

const addressConflicts = ({ endpointType, vpcEndpointIds, domain, defaultAddress }: RelatedSettings) => [
  ...(endpointType === "private" && vpcEndpointIds === undefined
    ? ["The setting endpointType is private: set vpcEndpointIds to the VPC endpoints that reach the API."]
    : []),
  ...(endpointType === "regional" && vpcEndpointIds !== undefined
    ? ["The setting vpcEndpointIds requires endpointType private."]
    : []),
  ...(endpointType === "private" && domain !== undefined
    ? ["The setting domain requires endpointType regional: put a private domain in front of the API yourself."]
    : []),
  ...(!defaultAddress && domain === undefined
    ? ["The setting defaultAddress is false and the setting domain is missing: the API would be unreachable."]
    : []),
];

/** Returns conflicts that only matter for a deployed stack; `npm start` permits them. */
const deploymentConflicts = (settings: RelatedSettings): readonly string[] => [
  ...(settings.stage === "local" ? ["The stage name local is reserved for npm start: choose another name."] : []),
  ...modelConflicts("judgeModel", settings),
  ...modelConflicts("embeddingModel", settings),
];

/** Returns an error sentence for each conflict between settings that are valid by themselves. */
export const settingConflicts = (settings: RelatedSettings, isLocal: boolean): readonly string[] => [
  ...(isLocal ? [] : deploymentConflicts(settings)),
  ...ceilingConflicts(settings),
  ...batchConflicts(settings),
  ...addressConflicts(settings),
];
