import * as v from "valibot";
import { nonEmpty, unknownOr } from "./values.ts";

/** Keys that arrive over plain HTTP are anybody's; this machine alone is trusted without TLS. */
const isSafe = ({ protocol, hostname }: URL): boolean => protocol === "https:" || hostname === "127.0.0.1";

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && isSafe(new URL(text));

const isAddress = (text: string): boolean => URL.canParse(text) && isSafe(new URL(text));

const known = [
  "issuer",
  "jwksUri",
  "audiences",
  "audienceClaim",
  "tokenUse",
  "subjectClaim",
  "emailClaim",
  "emailVerifiedClaim",
  "emailsVerified",
  "clientId",
  "tokenOrigin",
];

const claims = v.strictObject(
  {
    issuer: nonEmpty,
    jwksUri: v.pipe(
      v.string("must be text"),
      v.url("must be a URL"),
      v.check((uri) => isSafe(new URL(uri)), "must be an https URL"),
    ),
    audiences: v.pipe(v.array(nonEmpty, "must be a list"), v.minLength(1, "must name at least one audience")),
    /** Claim that carries the audience; `aud` when absent (some issuers use `client_id`). */
    audienceClaim: v.exactOptional(nonEmpty),
    /** Required value of the claim `token_use`; not looked at when absent. */
    tokenUse: v.exactOptional(nonEmpty),
    /** Claim that says who the user is, for ever; `sub` when absent. */
    subjectClaim: v.exactOptional(nonEmpty),
    /** Claim that carries the user's e-mail address; `email` when absent. */
    emailClaim: v.exactOptional(nonEmpty),
    /** Claim that says whether the address is verified; `email_verified` when absent (some issuers put a namespace before it). */
    emailVerifiedClaim: v.exactOptional(nonEmpty),
    /** The issuer names no address that it has not verified: `email_verified` is not asked for. */
    emailsVerified: v.exactOptional(v.boolean("must be true or false")),
    /** The console's id at the issuer, a public client (PKCE, no secret); nobody signs in at the console by this issuer when absent. */
    clientId: v.exactOptional(nonEmpty),
    /** Where the issuer's token endpoint is, where that is not the issuer's own origin. */
    tokenOrigin: v.exactOptional(
      v.pipe(nonEmpty, v.check(isOrigin, "must be an https origin such as https://example.com")),
    ),
  },
  unknownOr("is missing or not an object", "is not a setting", known),
);

const issuer = v.pipe(
  claims,
  v.forward(
    v.check(
      ({ issuer: name, clientId }) => clientId === undefined || isAddress(name),
      "must be an https URL where a clientId is set",
    ),
    ["issuer"],
  ),
  v.forward(
    v.check(
      ({ clientId, tokenOrigin }) => tokenOrigin === undefined || clientId !== undefined,
      "is for an issuer with a clientId",
    ),
    ["tokenOrigin"],
  ),
);

export type IssuerSettings = v.InferOutput<typeof issuer>;

/** What the console is told of an issuer, from the setting of it. */
const consoleIssuer = ({ issuer: name, clientId = "", ...others }: IssuerSettings) => {
  const { audiences, audienceClaim, tokenUse, tokenOrigin } = others;
  return {
    issuer: name,
    clientId,
    audiences,
    ...(audienceClaim !== undefined && { audienceClaim }),
    ...(tokenUse !== undefined && { tokenUse }),
    ...(tokenOrigin !== undefined && { tokenOrigin }),
  };
};

/** How bearer tokens are verified: those of an issuer, or of several. */
export const jwtSetting = v.lazy((given) =>
  Array.isArray(given)
    ? v.pipe(
        v.array(issuer),
        v.minLength(1, "must name at least one issuer"),
        v.check(
          (issuers) => new Set(issuers.map(({ issuer: name }) => name)).size === issuers.length,
          "must not name an issuer twice",
        ),
      )
    : issuer,
);

const texts = v.pipe(v.array(nonEmpty, "must be a list"), v.minLength(1, "must not be empty"));

const domains = v.pipe(
  v.array(
    v.pipe(
      nonEmpty,
      v.regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/u, "must be a domain in small letters, such as example.com"),
    ),
    "must be a list",
  ),
  v.minLength(1, "must not be empty"),
);

/** Who may make organizations: by values of claims, or by the domain of a verified address. */
export const organizationCreatorsSetting = v.pipe(
  v.strictObject(
    {
      claims: v.exactOptional(v.record(v.string(), texts, "must be an object, values by claim")),
      emailDomains: v.exactOptional(domains),
    },
    unknownOr("must be an object", "is not a setting", ["claims", "emailDomains"]),
  ),
  v.check((rules) => Object.keys(rules).length > 0, "must say whom by claims or emailDomains"),
);

/** The issuers by which people sign in at the console. */
export const consoleIssuers = (jwt: IssuerSettings | readonly IssuerSettings[] | undefined) =>
  [jwt ?? []]
    .flat()
    .filter(({ clientId }) => clientId !== undefined)
    .map(consoleIssuer);
