import { nearestName } from "../../lib/domain/nearest-name.ts";
import { resolveModel } from "../../lib/domain/runs/model.ts";
import { providerCatalogue, providerEntry, type ProviderKey } from "../../lib/judge/providers/provider-catalogue.ts";
import type { Providers } from "./judge-settings.ts";

/** The settings that are held against each other. */
interface Together {
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

/** Providers whose connections have no way to an embedding model. */
export const withoutEmbeddings: ReadonlySet<ProviderKey> = new Set(["anthropic"]);

const keys = providerCatalogue.map(({ key }) => key);

/** Whether a model's provider is one that a deployment can ask. */
const modelFault = (setting: "judgeModel" | "embeddingModel", { providers, [setting]: model }: Together) => {
  const provider = model === undefined ? undefined : resolveModel(model)?.provider;
  if (provider === undefined) return [];
  const entry = providerEntry(provider);
  if (entry === undefined) {
    const meant = nearestName(provider, keys);
    const end = meant === null ? "." : `; did you mean ${meant}?`;
    return [`The setting ${setting} names the provider ${provider}, which does not exist${end}`];
  }
  if (entry.key === "offline")
    return [
      `The setting ${setting} is ${model}, whose rules run on one's own machine only: name a model of a provider.`,
    ];
  if (setting === "embeddingModel" && withoutEmbeddings.has(entry.key))
    return [`The setting embeddingModel names the provider ${provider}, which has no embeddings.`];
  if (providers[entry.key] === undefined)
    return [
      `The setting ${setting} names the provider ${provider}, which is not set up: name it in the setting providers.`,
    ];
  return [];
};

/** Ceilings of a month, each above those before it. */
const ceilings = [
  ["projectMonthlyCostCeilingUsd", "project"],
  ["organizationMonthlyCostCeilingUsd", "organization"],
  ["monthlyCostCeilingUsd", "deployment"],
] as const;

const ceilingFault = (settings: Together): readonly string[] =>
  ceilings.flatMap(([name, whose], index) => {
    const own = settings[name];
    const above = ceilings.slice(index + 1).find(([other]) => own !== undefined && own > (settings[other] ?? own));
    return above === undefined
      ? []
      : [`The setting ${name} is ${own}, above ${above[0]}, ${settings[above[0]]}: no ${whose} could come to it.`];
  });

const batchFault = ({ maxTargetsPerBatch: batch, maxTargetsPerRun: run }: Together) =>
  batch > run
    ? [`The setting maxTargetsPerBatch is ${batch}, above maxTargetsPerRun, ${run}: a list makes a run.`]
    : [];

const addressFaults = ({ endpointType, vpcEndpointIds, domain, defaultAddress }: Together) => [
  ...(endpointType === "private" && vpcEndpointIds === undefined
    ? ["The setting endpointType is private: name in vpcEndpointIds through which VPC endpoints the API is reached."]
    : []),
  ...(endpointType === "regional" && vpcEndpointIds !== undefined
    ? ["The setting vpcEndpointIds is for an endpointType that is private."]
    : []),
  ...(endpointType === "private" && domain !== undefined
    ? ["The setting domain is for an endpointType that is regional: put a private domain in front of the API yourself."]
    : []),
  ...(!defaultAddress && domain === undefined
    ? ["The setting defaultAddress is false and there is no setting domain: nobody could reach the API."]
    : []),
];

/** What a stack may not have that is deployed: `npm start` may. */
const deployedFaults = (settings: Together): readonly string[] => [
  ...(settings.stage === "local"
    ? ["The stage local is that of npm start and is never deployed: choose another name."]
    : []),
  ...modelFault("judgeModel", settings),
  ...modelFault("embeddingModel", settings),
];

/** What is wrong between settings that are each right by themselves, a sentence each. */
export const faultsBetween = (settings: Together, runsHere: boolean): readonly string[] => [
  ...(runsHere ? [] : deployedFaults(settings)),
  ...ceilingFault(settings),
  ...batchFault(settings),
  ...addressFaults(settings),
];
