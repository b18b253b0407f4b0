import type { Assembly, Resource } from "../../../infra/local/template/template.ts";

type Variables = Readonly<Record<string, unknown>>;

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Variables };
}

/** A stack whose functions have more variables. @param more of a function, by its id and the variables that it has. */
export const withVariables = (
  { template, assets }: Assembly,
  more: (id: string, variables: Variables) => Readonly<Record<string, string>>,
): Assembly => {
  const told = ([id, resource]: readonly [string, Resource]): readonly [string, Resource] => {
    const { Environment, ...others }: FunctionProperties = resource.Properties ?? {};
    if (Environment?.Variables === undefined) return [id, resource];
    const Variables = { ...Environment.Variables, ...more(id, Environment.Variables) };
    return [id, { ...resource, Properties: { ...others, Environment: { ...Environment, Variables } } }];
  };
  return {
    assets,
    template: { ...template, Resources: Object.fromEntries(Object.entries(template.Resources).map(told)) },
  };
};
