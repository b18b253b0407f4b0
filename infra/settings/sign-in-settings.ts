import * as v from "valibot";
import { nonEmptyText, objectFault } from "./values.ts";

/** True for HTTPS URLs and URLs of the local machine; keys that arrive over plain HTTP cannot be trusted. */
const isSafe = ({ protocol, hostname }: URL): boolean => protocol === "https:" || hostname === "127.0.0.1";

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && isSafe(new URL(text));

const isAddress = (text: string): boolean => URL.canParse(text) && isSafe(new URL(text));

const settingNames = [
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
    issuer: v.pipe(
      nonEmptyText,
      v.check((text) => !/\s/u.test(text), "must not contain blanks"),
    ),
    jwksUri: v.pipe(
      nonEmptyText,
      v.url("must be a URL"),
      v.check((uri) => isSafe(new URL(uri)), "must be an https URL"),
      v.check((uri) => new URL(uri).username === "", "must not contain credentials"),
      v.check(
        (uri) => !/\/\.well-known\/(?:openid-configuration|oauth-authorization-server)/u.test(uri),
        "must be the address of the keys: the discovery document has it as jwks_uri",
      ),
    ),
    audiences: v.pipe(v.array(nonEmptyText, "must be a list"), v.minLength(1, "must name at least one audience")),
    /** Claim that carries the audience; `aud` when absent (some issuers use `client_id`). */
    audienceClaim: v.exactOptional(nonEmptyText),
    /** Required value of the claim `token_use`; not checked when absent. */
    tokenUse: v.exactOptional(nonEmptyText),
    /** Claim with the permanent id of the user; `sub` when absent. */
    subjectClaim: v.exactOptional(nonEmptyText),
    /** Claim that carries the user's e-mail address; `email` when absent. */
    emailClaim: v.exactOptional(nonEmptyText),
    /** Claim that is true if the e-mail address is verified; `email_verified` when absent (some issuers add a namespace). */
    emailVerifiedClaim: v.exactOptional(nonEmptyText),
    /** True if the issuer only includes verified addresses; `email_verified` is then not required. */
    emailsVerified: v.exactOptional(v.boolean("must be true or false")),
    /** OAuth client id of the console, a public client (PKCE, no secret); without it the console has no sign-in by this issuer. */
    clientId: v.exactOptional(nonEmptyText),
    /** Origin of the token endpoint; the issuer's origin when absent. */
    tokenOrigin: v.exactOptional(
      v.pipe(nonEmptyText, v.check(isOrigin, "must be an https origin such as https://example.com")),
    ),
  },
  objectFault("must be an object", "is not a setting", settingNames),
);

const issuer = v.pipe(
  claims,
  v.forward(
    v.check(
      ({ issuer: name, clientId }) => clientId === undefined || isAddress(name),
      "must be an https URL if clientId is set",
    ),
    ["issuer"],
  ),
  v.forward(
    v.check(({ clientId, tokenOrigin }) => tokenOrigin === undefined || clientId !== undefined, "requires a clientId"),
    ["tokenOrigin"],
  ),
  v.forward(
    v.check(
      ({ emailVerifiedClaim, emailsVerified }) => emailVerifiedClaim === undefined || emailsVerified !== true,
      "has no effect if emailsVerified is true",
    ),
    ["emailVerifiedClaim"],
  ),
);

export type IssuerSettings = v.InferOutput<typeof issuer>;

/** Returns the settings of an issuer that the console page contains. */
const consoleIssuer = ({ issuer: name, clientId = "", ...issuerSettings }: IssuerSettings) => {
  const { audiences, audienceClaim, tokenUse, tokenOrigin } = issuerSettings;
  return {
    issuer: name,
    clientId,
    audiences,
    ...(audienceClaim !== undefined && { audienceClaim }),
    ...(tokenUse !== undefined && { tokenUse }),
    ...(tokenOrigin !== undefined && { tokenOrigin }),
  };
};

/** Setting type: verification of bearer tokens, one issuer or a list. */
export const jwtSetting = v.lazy((input) =>
  Array.isArray(input)
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

const textList = v.pipe(v.array(nonEmptyText, "must be a list"), v.minLength(1, "must not be empty"));

const domains = v.pipe(
  v.array(
    v.pipe(
      nonEmptyText,
      v.regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/u, "must be a domain in lower case, such as example.com"),
    ),
    "must be a list",
  ),
  v.minLength(1, "must not be empty"),
);

/** Setting type: users who may create organizations, by claim values or by the domain of a verified address. */
export const organizationCreatorsSetting = v.pipe(
  v.strictObject(
    {
      claims: v.exactOptional(
        v.pipe(
          v.record(nonEmptyText, textList, "must be an object, values by claim"),
          v.check((claims) => Object.keys(claims).length > 0, "must name a claim"),
        ),
      ),
      emailDomains: v.exactOptional(domains),
    },
    objectFault("must be an object", "is not a setting", ["claims", "emailDomains"]),
  ),
  v.check((rules) => Object.keys(rules).length > 0, "must have claims or emailDomains"),
);

/** Returns the issuers with a console sign-in, as the console page needs them. */
export const consoleIssuers = (jwt: IssuerSettings | readonly IssuerSettings[] | undefined) =>
  [jwt ?? []]
    .flat()
    .filter(({ clientId }) => clientId !== undefined)
    .map(consoleIssuer);
