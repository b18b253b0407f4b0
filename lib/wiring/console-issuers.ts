import * as v from "valibot";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

/** What the console is told of an issuer by which people sign in there. */
const consoleIssuer = v.object({
  issuer: v.string(),
  clientId: v.string(),
  audiences: v.array(v.string()),
  audienceClaim: v.exactOptional(v.string()),
  tokenUse: v.exactOptional(v.string()),
  tokenOrigin: v.exactOptional(v.string()),
});

type ConsoleIssuer = v.InferOutput<typeof consoleIssuer>;

/** The issuers by which people sign in at the console; none where it is keys only. @throws Error when they cannot be read. */
export const environmentConsoleIssuers = (): readonly ConsoleIssuer[] =>
  v.parse(v.optional(v.array(consoleIssuer), []), jsonSetting(variables.consoleIssuers));

const inAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The console's page, told of its issuers: it may ask them, and the service it came from, and nobody else. */
export const withIssuers = (page: string, issuers: readonly ConsoleIssuer[]): string => {
  if (issuers.length === 0) return page;
  const origins = new Set(
    issuers.flatMap(({ issuer, tokenOrigin }) => [issuer, ...(tokenOrigin === undefined ? [] : [tokenOrigin])]),
  );
  const asked = [...new Set([...origins].map((address) => new URL(address).origin))].join(" ");
  const told = `<meta name="issuers" content="${inAttribute(JSON.stringify(issuers))}">`;
  return page
    .replace("connect-src 'self'", () => `connect-src 'self' ${asked}`)
    .replace("<title>", () => `${told}\n<title>`);
};
