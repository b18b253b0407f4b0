import { SSMClient } from "@aws-sdk/client-ssm";
import { exactOptional, object, parse, record, string } from "valibot";
import { required, variables } from "../environment.ts";
import { traceMetrics } from "../metrics/trace/catalogue.ts";
import { createJudge } from "./create-judge.ts";
import type { Judge } from "./judge.ts";
import { parameterReader } from "./parameters.ts";

const parameterNames = record(string(), object({ key: exactOptional(string()), baseUrl: exactOptional(string()) }));

/**
 * The judge of a deployed function: providers from its environment, their credentials from SSM.
 *
 * @throws Error when `JUDGE_PROVIDERS` is missing or not of its form: a function that is configured wrong must not start.
 */
export const deployedJudge = (environment: Readonly<Record<string, string | undefined>> = process.env): Judge => {
  const providers = parse(parameterNames, JSON.parse(required(variables.judgeProviders, environment)));
  // Bounded: the client by itself waits without end.
  const ssm = new SSMClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000, requestTimeout: 3000 } });
  return createJudge({ metrics: traceMetrics, providers, parameter: parameterReader(ssm, Date.now) });
};
