import type { Assembly, Resource } from "../../../infra/local/template/template.ts";

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
}

/** A stack whose functions have more variables: those that have one already that tells them apart. */
export const withVariables = (
  { template, assets }: Assembly,
  marked: string,
  more: Readonly<Record<string, string>>,
): Assembly => {
  const told = ([id, resource]: readonly [string, Resource]): readonly [string, Resource] => {
    const { Environment, ...others }: FunctionProperties = resource.Properties ?? {};
    if (Environment?.Variables?.[marked] === undefined) return [id, resource];
    const Variables = { ...Environment.Variables, ...more };
    return [id, { ...resource, Properties: { ...others, Environment: { ...Environment, Variables } } }];
  };
  return {
    assets,
    template: { ...template, Resources: Object.fromEntries(Object.entries(template.Resources).map(told)) },
  };
};
