import type { Assembly, Resource } from "./template.ts";

type Variables = Readonly<Record<string, unknown>>;

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Variables };
}

const withResourceVariables = (resource: Resource, changes: (current: Variables) => Variables): Resource => {
  const { Environment, ...otherProperties }: FunctionProperties = resource.Properties ?? {};
  const current = Environment?.Variables;
  if (current === undefined) return resource;
  const Variables = { ...current, ...changes(current) };
  return { ...resource, Properties: { ...otherProperties, Environment: { ...Environment, Variables } } };
};

/** Sets environment variables of all functions of an assembly. `changes` computes them from a function's current ones. */
export const withVariables = (
  { template, assets }: Assembly,
  changes: (current: Variables) => Variables,
): Assembly => ({
  assets,
  template: {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(template.Resources).map(([id, resource]) => [id, withResourceVariables(resource, changes)]),
    ),
  },
});
