import type { Assembly, Resource } from "../../../infra/local/template/template.ts";
import { variables } from "../../../lib/wiring/environment.ts";

type Variables = Readonly<Record<string, unknown>>;

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Variables };
}

/**
 * A stack whose functions have additional environment variables.
 * @param extraVariables returns the variables to add to a function, by its id and existing variables.
 */
export const withVariables = (
  { template, assets }: Assembly,
  extraVariables: (id: string, variables: Variables) => Readonly<Record<string, string>>,
): Assembly => {
  const withExtraVariables = ([id, resource]: readonly [string, Resource]): readonly [string, Resource] => {
    const { Environment, ...otherProperties }: FunctionProperties = resource.Properties ?? {};
    if (Environment?.Variables === undefined) return [id, resource];
    const Variables = { ...Environment.Variables, ...extraVariables(id, Environment.Variables) };
    return [id, { ...resource, Properties: { ...otherProperties, Environment: { ...Environment, Variables } } }];
  };
  return {
    assets,
    template: {
      ...template,
      Resources: Object.fromEntries(Object.entries(template.Resources).map(withExtraVariables)),
    },
  };
};

/** A stack whose functions that ask models have other values of variables. */
export const withJudgeVariables = (assembly: Assembly, values: Readonly<Record<string, string>>): Assembly =>
  withVariables(assembly, (_id, has) => (variables.judgeProviders in has ? values : {}));
