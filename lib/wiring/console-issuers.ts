import * as v from "valibot";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

/** OpenID issuer with which people sign in at the console, as the page receives it. */
const consoleIssuer = v.object({
  issuer: v.string(),
  clientId: v.string(),
  audiences: v.array(v.string()),
  audienceClaim: v.exactOptional(v.string()),
  tokenUse: v.exactOptional(v.string()),
  tokenOrigin: v.exactOptional(v.string()),
});

type ConsoleIssuer = v.InferOutput<typeof consoleIssuer>;

/** Reads the sign-in issuers of the console from the environment; empty if people sign in with API keys only. @throws Error if the setting is malformed. */
export const environmentConsoleIssuers = (): readonly ConsoleIssuer[] =>
  v.parse(v.optional(v.array(consoleIssuer), []), jsonSetting(variables.consoleIssuers));

const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Adds the sign-in issuers to the HTML of the console. */
export const withIssuers = (page: string, issuers: readonly ConsoleIssuer[]): string =>
  issuers.length === 0
    ? page
    : page.replace(
        "<title>",
        () => `<meta name="issuers" content="${escapeAttribute(JSON.stringify(issuers))}">\n<title>`,
      );

/** Allows requests to the sign-in issuers in the content security policy of the console. */
export const withIssuerOrigins = (policy: string, issuers: readonly ConsoleIssuer[]): string => {
  const addresses = issuers.flatMap(({ issuer, tokenOrigin = issuer }) => [issuer, tokenOrigin]);
  const origins = new Set(addresses.map((address) => new URL(address).origin));
  return policy.replace("connect-src 'self'", (source) => [source, ...origins].join(" "));
};
