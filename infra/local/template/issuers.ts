import * as v from "valibot";
import { jwtSettings } from "../../../lib/authorizer/jwt-settings.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import { consoleIssuers, type IssuerSettings } from "../../settings/sign-in-settings.ts";
import type { Assembly } from "./template.ts";
import { withVariables } from "./variables.ts";

const settingsText = v.pipe(v.string(), v.parseJson(), jwtSettings);

/** Computes the environment variables with issuer settings, with the local issuer's key set URL and the further issuers. */
const issuerVariables = (
  currentVariables: Readonly<Record<string, unknown>>,
  jwksUri: string,
  otherIssuers: readonly IssuerSettings[],
): Readonly<Record<string, string>> => {
  const { [variables.jwt]: jwt, [variables.consoleIssuers]: consoleSetting } = currentVariables;
  const localIssuers =
    jwt === undefined ? [] : v.parse(settingsText, jwt).map((issuer) => Object.assign(issuer, { jwksUri }));
  const issuers = [...localIssuers, ...otherIssuers];
  return {
    ...(jwt !== undefined && { [variables.jwt]: JSON.stringify(issuers.length === 1 ? issuers[0] : issuers) }),
    ...(consoleSetting !== undefined && {
      [variables.consoleIssuers]: JSON.stringify(consoleIssuers([...otherIssuers])),
    }),
  };
};

/** Sets the local issuer's key set URL and the further issuers in the environment of all functions of an assembly. */
export const withIssuers = (assembly: Assembly, jwksUri: string, otherIssuers: readonly IssuerSettings[]): Assembly =>
  withVariables(assembly, (currentVariables) => issuerVariables(currentVariables, jwksUri, otherIssuers));
