import { exactOptional, object, parse, record, string } from "valibot";
import { required, variables } from "./environment.ts";
import type { ParameterNames } from "../judge/providers/provider-settings.ts";

/** The stage of `npm start`, which is never deployed: there a shell's variables fill the parameters. */
const localStage = "local";

const schema = record(string(), object({ key: exactOptional(string()), baseUrl: exactOptional(string()) }));

/**
 * The names of the providers' parameters, from a function's environment.
 *
 * @throws Error when `JUDGE_PROVIDERS` is missing or not of its form: a function that is configured wrong must not start.
 */
export const parameterNames = (environment: Readonly<Record<string, string | undefined>>): ParameterNames => {
  const names = parse(schema, JSON.parse(required(variables.judgeProviders, environment)));
  if (environment[variables.stage] !== localStage) return names;
  return Object.fromEntries(Object.entries(names).map(([provider, own]) => [provider, { ...own, isShell: true }]));
};
