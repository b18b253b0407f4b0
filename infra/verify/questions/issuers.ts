import * as v from "valibot";
import { messageOf } from "../message-of.ts";
import { judged, notAsked, type Question } from "../question.ts";

/** As much of an issuer's settings as its discovery document says too. */
export const issuerSettings = v.union([
  v.array(v.object({ issuer: v.string(), jwksUri: v.string() })),
  v.pipe(
    v.object({ issuer: v.string(), jwksUri: v.string() }),
    v.transform((one) => [one]),
  ),
]);

type Issuer = v.InferOutput<typeof issuerSettings>[number];

const discovery = v.object({ issuer: v.string(), jwks_uri: v.string() });
const keys = v.object({ keys: v.array(v.object({ kty: v.string(), kid: v.optional(v.string()) })) });

const read = async (url: string): Promise<unknown> => {
  const reply = await fetch(url, { signal: AbortSignal.timeout(10_000), headers: { accept: "application/json" } });
  if (reply.status !== 200) throw new Error(`${url} answers ${reply.status}`);
  return reply.json();
};

/** What the issuer says of itself otherwise than the settings do, in words. */
const differencesOf = async ({ issuer, jwksUri }: Issuer): Promise<readonly string[]> => {
  try {
    const said = v.parse(discovery, await read(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`));
    const set = v.parse(keys, await read(jwksUri));
    const usable = set.keys.filter(({ kty, kid }) => (kty === "RSA" || kty === "EC") && kid !== undefined);
    return [
      ...(said.issuer === issuer
        ? []
        : [`the setting issuer is ${issuer}, and the issuer calls itself ${said.issuer}`]),
      ...(said.jwks_uri === jwksUri
        ? []
        : [`the setting jwksUri is ${jwksUri}, and the issuer's keys are at ${said.jwks_uri}`]),
      ...(usable.length > 0 ? [] : [`${jwksUri} has no public key with an id`]),
    ];
  } catch (error) {
    return [`${issuer}: ${messageOf(error)}`];
  }
};

/** @param issuers those of the stage's settings. */
export const issuersSayTheSame = (issuers: readonly Issuer[]): Question => ({
  title: "The issuers of bearer tokens call themselves and their keys as the settings do",
  ask: async () => {
    if (issuers.length === 0) return notAsked("the stage's file has no setting jwt");
    const differences = (await Promise.all(issuers.map(differencesOf))).flat();
    return judged(differences, issuers.map(({ issuer }) => issuer).join(", "));
  },
});
