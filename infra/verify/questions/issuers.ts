import * as v from "valibot";
import { messageOf } from "../message-of.ts";
import { passUnless, skip, type Check } from "../check.ts";

/** Fields of the issuer settings that an issuer's discovery document also contains. */
export const issuerSettings = v.union([
  v.array(v.object({ issuer: v.string(), jwksUri: v.string() })),
  v.pipe(
    v.object({ issuer: v.string(), jwksUri: v.string() }),
    v.transform((issuer) => [issuer]),
  ),
]);

type Issuer = v.InferOutput<typeof issuerSettings>[number];

const discovery = v.object({ issuer: v.string(), jwks_uri: v.string() });
const keys = v.object({ keys: v.array(v.object({ kty: v.string(), kid: v.optional(v.string()) })) });

const fetchJson = async (url: string): Promise<unknown> => {
  const reply = await fetch(url, { signal: AbortSignal.timeout(10_000), headers: { accept: "application/json" } });
  if (reply.status !== 200) throw new Error(`${url} answers ${reply.status}`);
  return reply.json();
};

/** Lists the differences between the settings of an issuer and its discovery document and key set. */
const differencesOf = async ({ issuer, jwksUri }: Issuer): Promise<readonly string[]> => {
  try {
    const discoveryDocument = v.parse(
      discovery,
      await fetchJson(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`),
    );
    const keySet = v.parse(keys, await fetchJson(jwksUri));
    const usableKeys = keySet.keys.filter(({ kty, kid }) => (kty === "RSA" || kty === "EC") && kid !== undefined);
    return [
      ...(discoveryDocument.issuer === issuer
        ? []
        : [`the setting issuer is ${issuer}, but the discovery document has ${discoveryDocument.issuer}`]),
      ...(discoveryDocument.jwks_uri === jwksUri
        ? []
        : [`the setting jwksUri is ${jwksUri}, but the issuer's keys are at ${discoveryDocument.jwks_uri}`]),
      ...(usableKeys.length > 0 ? [] : [`${jwksUri} has no public key with an id`]),
    ];
  } catch (error) {
    return [`${issuer}: ${messageOf(error)}`];
  }
};

/** Builds the check that compares token issuers with the settings. @param issuers issuers in the stage's settings */
export const issuersMatchSettings = (issuers: readonly Issuer[]): Check => ({
  title: "The discovery documents of the token issuers match the settings",
  run: async () => {
    if (issuers.length === 0) return skip("the stage's settings file has no setting jwt");
    const differences = (await Promise.all(issuers.map(differencesOf))).flat();
    return passUnless(differences, issuers.map(({ issuer }) => issuer).join(", "));
  },
});
