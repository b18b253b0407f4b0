import { variables } from "./environment.ts";
import { judgedMetrics } from "../metrics/trace/definitions.ts";
import { createJudge } from "../judge/create-judge.ts";
import type { CustomMetricOf } from "../judge/target-judge.ts";
import type { Judge } from "../judge/judge.ts";
import { parameterNames } from "./provider-parameters.ts";
import { parameterReader, parameterStore } from "../parameters/parameters.ts";
import { ownPrices } from "./prices.ts";
import { dialectSettings } from "./dialects.ts";
import { effortSettings } from "./efforts.ts";
import { transcriptSettings } from "./transcripts.ts";
import { requestSigner } from "../judge/providers/request-signer.ts";

/**
 * The judge of a deployed function: providers from its environment, their credentials from SSM.
 *
 * @throws Error when `JUDGE_PROVIDERS` is missing or not of its form: a function that is configured wrong must not start.
 */
export const deployedJudge = (
  own: CustomMetricOf,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Judge => {
  const providers = parameterNames(environment);
  const ssm = parameterStore();
  return createJudge({
    metrics: judgedMetrics,
    own,
    providers,
    parameter: parameterReader(ssm, Date.now),
    embeddingModel: environment[variables.embeddingModel],
    sign: requestSigner(ssm),
    region: environment["AWS_REGION"],
    prices: ownPrices(environment),
    transcripts: transcriptSettings(environment),
    efforts: effortSettings(environment),
    dialects: dialectSettings(environment),
  });
};
