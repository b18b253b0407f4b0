import { variables } from "./environment.ts";
import { environmentModelRules } from "./judge-models.ts";
import { judgedMetrics } from "../metrics/trace/definitions.ts";
import { createJudge } from "../judge/create-judge.ts";
import type { FindCustomMetric, FindExpectedOutput } from "../judge/target-judge.ts";
import type { Judge } from "../judge/judge.ts";
import { parameterNames } from "./provider-parameters.ts";
import { parameterReader, parameterStore } from "../parameters/parameters.ts";
import { operatorPrices } from "./prices.ts";
import { dialectSettings, effortSettings } from "./dialects.ts";
import { transcriptSettings } from "./transcripts.ts";
import { requestSigner } from "../judge/providers/bedrock.ts";

/**
 * Creates the judge of a deployed function, with providers from the environment and credentials from SSM.
 *
 * @throws Error if a judge setting is missing or malformed: a misconfigured function must not start.
 */
export const deployedJudge = (
  findCustomMetric: FindCustomMetric,
  findExpectedOutput: FindExpectedOutput,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Judge => {
  const providers = parameterNames(environment);
  const ssm = parameterStore();
  return createJudge({
    metrics: judgedMetrics,
    findCustomMetric,
    findExpectedOutput,
    providers,
    parameter: parameterReader(ssm, Date.now),
    embeddingModel: environment[variables.embeddingModel],
    sign: requestSigner(ssm),
    region: environment["AWS_REGION"],
    prices: operatorPrices(environment),
    modelRefusal: environmentModelRules(environment),
    transcripts: transcriptSettings(environment),
    efforts: effortSettings(environment),
    dialects: dialectSettings(environment),
  });
};
