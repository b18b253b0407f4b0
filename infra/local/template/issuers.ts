import * as v from "valibot";
import { jwtSettings } from "../../../lib/authorizer/jwt-settings.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import { consoleIssuers, type IssuerSettings } from "../../settings/sign-in-settings.ts";
import type { Assembly, Resource } from "./template.ts";

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
}

const settingsText = v.pipe(v.string(), v.parseJson(), jwtSettings);

/** The variables that name issuers, with this machine's. */
const changedOf = (
  before: Readonly<Record<string, unknown>>,
  jwksUri: string,
  others: readonly IssuerSettings[],
): Readonly<Record<string, string>> => {
  const { [variables.jwt]: jwt, [variables.consoleIssuers]: shown } = before;
  const own = jwt === undefined ? [] : v.parse(settingsText, jwt).map((issuer) => Object.assign(issuer, { jwksUri }));
  const issuers = [...own, ...others];
  return {
    ...(jwt !== undefined && { [variables.jwt]: JSON.stringify(issuers.length === 1 ? issuers[0] : issuers) }),
    ...(shown !== undefined && { [variables.consoleIssuers]: JSON.stringify(consoleIssuers([...others])) }),
  };
};

const withChanged = (resource: Resource, jwksUri: string, others: readonly IssuerSettings[]): Resource => {
  const { Environment, ...rest }: FunctionProperties = resource.Properties ?? {};
  const before = Environment?.Variables;
  if (before === undefined) return resource;
  const Variables = { ...before, ...changedOf(before, jwksUri, others) };
  return { ...resource, Properties: { ...rest, Environment: { ...Environment, Variables } } };
};

/** Tells the functions where the keys of this machine's issuer are, and which other issuers there are. */
export const withIssuers = (
  { template, assets }: Assembly,
  jwksUri: string,
  others: readonly IssuerSettings[],
): Assembly => ({
  assets,
  template: {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(template.Resources).map(([id, resource]) => [id, withChanged(resource, jwksUri, others)]),
    ),
  },
});
