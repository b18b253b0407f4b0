import { exactOptional, object, parse, record, string } from "valibot";
import { required, variables } from "./environment.ts";
import type { ParameterNames } from "../judge/providers/provider-settings.ts";

/** Stage of `npm start`, which is never deployed: its parameters come from the variables of the shell. */
const localStage = "local";

const schema = record(string(), object({ key: exactOptional(string()), baseUrl: exactOptional(string()) }));

/**
 * Reads the SSM parameter names of the judge providers from the environment variable `JUDGE_PROVIDERS`.
 *
 * @throws Error if the setting is missing or malformed: a misconfigured function must not start.
 */
export const parameterNames = (environment: Readonly<Record<string, string | undefined>>): ParameterNames => {
  const names = parse(schema, JSON.parse(required(variables.judgeProviders, environment)));
  if (environment[variables.stage] !== localStage) return names;
  return Object.fromEntries(
    Object.entries(names).map(([provider, parameters]) => [provider, { ...parameters, isShell: true }]),
  );
};
