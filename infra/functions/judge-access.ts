import { Aws, Fn, Validations } from "aws-cdk-lib";
import { variables } from "../../lib/wiring/environment.ts";
import type { Value } from "./function-environment.ts";
import type { Providers } from "../settings/judge-settings.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "../settings/settings.ts";

const arnOf = (service: string, region: string, account: string, resource: string): string =>
  `arn:${Aws.PARTITION}:${service}:${region}:${account}:${resource}`;

const parameterArns = (providers: Providers): string[] =>
  Object.values(providers)
    .flatMap(({ key, baseUrl }) => [key, baseUrl])
    .filter((name) => name !== undefined)
    .map((name) => arnOf("ssm", Aws.REGION, Aws.ACCOUNT_ID, `parameter${name}`));

/** What a function's environment has for reading the providers' settings: always in the variable, a name or two for each provider. */
export const providersEnvironment = ({ providers }: Settings): Record<string, string> => ({
  [variables.judgeProviders]: JSON.stringify(providers),
});

/** The tier of runs that name none, where it is not the usual one. */
export const tierEnvironment = ({ judgeTier }: Settings): Readonly<Record<string, string>> =>
  judgeTier === "standard" ? {} : { [variables.judgeTier]: judgeTier };

/** What a function's environment has on what the models of traces cost. */
export const tracePriceEnvironment = ({ tracePrices }: Settings): Record<string, Value> =>
  tracePrices.length > 0 ? { [variables.tracePrices]: tracePrices } : {};

/** What a function's environment has on the ceilings of judging. */
export const ceilingEnvironment = ({
  monthlyCostCeilingUsd,
  projectMonthlyCostCeilingUsd,
  organizationMonthlyCostCeilingUsd,
}: Settings): Record<string, Value> => ({
  ...(monthlyCostCeilingUsd !== undefined && { [variables.monthlyCostCeiling]: String(monthlyCostCeilingUsd) }),
  ...(organizationMonthlyCostCeilingUsd !== undefined && {
    [variables.organizationMonthlyCostCeiling]: String(organizationMonthlyCostCeilingUsd),
  }),
  ...(projectMonthlyCostCeilingUsd !== undefined && {
    [variables.projectMonthlyCostCeiling]: String(projectMonthlyCostCeilingUsd),
  }),
});

/** What a function's environment has on the cost of judging and its ceilings. */
export const costEnvironment = (settings: Settings): Record<string, Value> => ({
  ...(Object.keys(settings.prices).length > 0 && { [variables.judgePrices]: settings.prices }),
  ...(settings.transcripts !== undefined && { [variables.judgeTranscripts]: settings.transcripts }),
  ...ceilingEnvironment(settings),
});

/** What a judging function's environment has. */
export const judgeEnvironment = (settings: Settings): Record<string, Value> => ({
  ...providersEnvironment(settings),
  ...costEnvironment(settings),
  ...(settings.efforts !== undefined && { [variables.judgeEfforts]: settings.efforts }),
  ...(settings.dialects !== undefined && { [variables.judgeDialects]: settings.dialects }),
  ...(settings.embeddingModel !== undefined && { [variables.embeddingModel]: settings.embeddingModel }),
});

/** Lets a function read the providers' settings. */
export const allowProviderSettings = (worker: ServiceFunction, { providers, parametersKeyArn }: Settings): void => {
  const parameters = parameterArns(providers);
  if (parameters.length === 0) return;
  worker.allow(["ssm:GetParameter"], ...parameters);
  if (parametersKeyArn === undefined) return;
  const viaService = { StringEquals: { "kms:ViaService": Fn.sub("ssm.${AWS::Region}.${AWS::URLSuffix}") } };
  worker.allowWhen(viaService, ["kms:Decrypt"], parametersKeyArn);
};

/** What of Bedrock can be called; AWS's own models belong to no account. */
const models = [
  { account: "", name: "", kind: "foundation-model" },
  { account: Aws.ACCOUNT_ID, name: "<AWS::AccountId>", kind: "inference-profile" },
  { account: Aws.ACCOUNT_ID, name: "<AWS::AccountId>", kind: "application-inference-profile" },
] as const;

/** Lets a function call the providers: read their settings and, where Bedrock is among them, invoke its models. */
export const allowJudging = (worker: ServiceFunction, settings: Settings): void => {
  allowProviderSettings(worker, settings);
  if (settings.providers.bedrock === undefined) return;
  // Any model and Region: which one a run names is not known here, and an inference profile calls models of other Regions.
  worker.allow(
    ["bedrock:InvokeModel"],
    ...models.map(({ account, kind }) => arnOf("bedrock", "*", account, `${kind}/*`)),
  );
  const role = Validations.of(worker.node.findChild("Role"));
  for (const { name, kind } of models)
    role.acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*:${name}:${kind}/*]`,
      reason: "Which model a run names is not known here, and an inference profile calls models of other Regions.",
    });
};
