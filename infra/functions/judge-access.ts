import { Aws, Fn } from "aws-cdk-lib";
import { variables } from "../../lib/wiring/environment.ts";
import { defaultJudge } from "../../lib/judge/prices/listed-judges.ts";
import { defaultJudgeModels } from "../../lib/judge/prices/model-rules.ts";
import { isOwnServer } from "../../lib/judge/providers/provider-settings.ts";
import type { EnvironmentValue } from "./function-environment.ts";
import type { Providers } from "../settings/judge-settings.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "../settings/settings.ts";
import { viaService } from "./via-service.ts";

const parameterArns = (providers: Providers): string[] =>
  Object.values(providers)
    .flatMap(({ key, baseUrl }) => [key, baseUrl])
    .filter((name) => name !== undefined)
    .map((name) => Fn.sub(`arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${name}`));

/** Returns the variable with the SSM parameter names of the providers' settings; always in the variable, since the JSON is short. */
export const providersEnvironment = ({ providers }: Settings): Record<string, string> => ({
  [variables.judgeProviders]: JSON.stringify(providers),
});

/** Returns the settings with the addresses alone of providers that are servers of the operator. */
export const judgeServers = <Given extends Pick<Settings, "providers">>(settings: Given): Given => ({
  ...settings,
  providers: Object.fromEntries(
    Object.entries(settings.providers).flatMap(([key, { baseUrl }]) =>
      isOwnServer(key) && baseUrl !== undefined ? [[key, { baseUrl }]] : [],
    ),
  ),
});

/** Returns the variable with the default tier of runs, if the tier is not `standard`. */
export const tierEnvironment = ({ judgeTier }: Settings): Readonly<Record<string, string>> =>
  judgeTier === "standard" ? {} : { [variables.judgeTier]: judgeTier };

/** Returns the variable with the operator's prices of the models in traces. */
export const tracePriceEnvironment = ({ tracePrices }: Settings): Record<string, EnvironmentValue> =>
  tracePrices.length > 0 ? { [variables.tracePrices]: tracePrices } : {};

/** True if judging has a monthly ceiling. */
export const hasCeiling = (settings: Settings): boolean => Object.keys(ceilingEnvironment(settings)).length > 0;

/** Returns the variables with the monthly cost ceilings of judging. */
export const ceilingEnvironment = ({
  monthlyCostCeilingUsd,
  projectMonthlyCostCeilingUsd,
  organizationMonthlyCostCeilingUsd,
}: Settings): Record<string, EnvironmentValue> => ({
  ...(monthlyCostCeilingUsd !== undefined && { [variables.monthlyCostCeiling]: String(monthlyCostCeilingUsd) }),
  ...(organizationMonthlyCostCeilingUsd !== undefined && {
    [variables.organizationMonthlyCostCeiling]: String(organizationMonthlyCostCeilingUsd),
  }),
  ...(projectMonthlyCostCeilingUsd !== undefined && {
    [variables.projectMonthlyCostCeiling]: String(projectMonthlyCostCeilingUsd),
  }),
});

/** Returns the variables that say which models may be asked: patterns, where they are not the default, and prices. */
export const modelsEnvironment = ({ judgeModel, judgeModels, prices }: Settings): Record<string, EnvironmentValue> => {
  const operatorModels = [judgeModel, ...judgeModels].filter(
    (model) => model !== defaultJudge && !defaultJudgeModels.includes(model),
  );
  const isDefault = operatorModels.length === 0 && defaultJudgeModels.every((model) => judgeModels.includes(model));
  return {
    ...(!isDefault && { [variables.judgeModels]: [...new Set([...judgeModels, judgeModel])] }),
    ...(Object.keys(prices).length > 0 && { [variables.judgePrices]: prices }),
  };
};

/** Returns the variables for the cost of judging: models, prices, transcript limits and ceilings. */
export const costEnvironment = (settings: Settings): Record<string, EnvironmentValue> => ({
  ...modelsEnvironment(settings),
  ...(settings.transcripts !== undefined && { [variables.judgeTranscripts]: settings.transcripts }),
  ...ceilingEnvironment(settings),
});

/** Returns all variables of a function that calls judges. */
export const judgeEnvironment = (settings: Settings): Record<string, EnvironmentValue> => ({
  ...providersEnvironment(settings),
  ...costEnvironment(settings),
  ...(settings.efforts !== undefined && { [variables.judgeEfforts]: settings.efforts }),
  ...(settings.dialects !== undefined && { [variables.judgeDialects]: settings.dialects }),
  ...(settings.embeddingModel !== undefined && { [variables.embeddingModel]: settings.embeddingModel }),
});

/** Lets a function read the SSM parameters of the providers' settings. */
export const allowProviderSettings = (worker: ServiceFunction, { providers, parametersKeyArn }: Settings): void => {
  const parameters = parameterArns(providers);
  if (parameters.length === 0) return;
  worker.allow(["ssm:GetParameter"], ...parameters);
  if (parametersKeyArn === undefined) return;
  worker.allowWhen(viaService("ssm"), ["kms:Decrypt"], parametersKeyArn);
};

/** Kinds of Bedrock resources that can be invoked; ARNs of foundation models have no account. */
const bedrockResources = [
  { account: "", name: "", kind: "foundation-model" },
  { account: Aws.ACCOUNT_ID, name: "<AWS::AccountId>", kind: "inference-profile" },
  { account: Aws.ACCOUNT_ID, name: "<AWS::AccountId>", kind: "application-inference-profile" },
] as const;

/** Lets a function call the providers: read their settings and, if Bedrock is configured, invoke its models. */
export const allowJudging = (worker: ServiceFunction, settings: Settings): void => {
  allowProviderSettings(worker, settings);
  if (settings.providers.bedrock === undefined) return;
  // Any model and Region: runs choose their model, and an inference profile calls models in other Regions.
  worker.allow(
    ["bedrock:InvokeModel"],
    ...bedrockResources.map(({ account, kind }) => `arn:${Aws.PARTITION}:bedrock:*:${account}:${kind}/*`),
  );
  for (const { name, kind } of bedrockResources)
    worker.acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*:${name}:${kind}/*]`,
      reason: "Runs choose their model, and an inference profile calls models in other Regions.",
    });
};
