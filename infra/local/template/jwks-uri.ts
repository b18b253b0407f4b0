import * as v from "valibot";
import { jwtSettings } from "../../../lib/authorizer/jwt-settings.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import type { Assembly, Resource } from "./template.ts";

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
}

const settingsText = v.pipe(v.string(), v.parseJson(), jwtSettings);

const verifyingWith = (resource: Resource, jwksUri: string): Resource => {
  const { Environment, ...others }: FunctionProperties = resource.Properties ?? {};
  const text = Environment?.Variables?.[variables.jwt];
  if (text === undefined) return resource;
  const issuers = v.parse(settingsText, text).map((issuer) => Object.assign(issuer, { jwksUri }));
  const changed = JSON.stringify(issuers.length === 1 ? issuers[0] : issuers);
  const Variables = { ...Environment?.Variables, [variables.jwt]: changed };
  return { ...resource, Properties: { ...others, Environment: { ...Environment, Variables } } };
};

/** Tells the functions that verify bearer tokens where their issuer's keys are. */
export const withJwksUri = ({ template, assets }: Assembly, jwksUri: string): Assembly => ({
  assets,
  template: {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(template.Resources).map(([id, resource]) => [id, verifyingWith(resource, jwksUri)]),
    ),
  },
});
