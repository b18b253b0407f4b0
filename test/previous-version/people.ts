import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importJWK, type JWK, SignJWT } from "jose";
import { issuerName, localAudience } from "../../infra/local/issuer.ts";
import type { LocalStack } from "../../infra/local/local-stack.ts";

/** A running service with its own clock. */
export interface Place {
  readonly stack: LocalStack;
  /** Directory of the issuer's signing key. */
  readonly directory: string;
  /** Returns the functions' time in epoch milliseconds. */
  readonly now: () => number;
}

/** Email address of a user in the fixture. */
export const emailOf = (name: string): string => `${name}@example.com`;

const claimsOf = ({ credentials }: LocalStack, name: string) =>
  name === "owner"
    ? { sub: credentials.userId, email: "developer@localhost", name: "Local Developer" }
    : { sub: name, email: emailOf(name), name };

interface Keys {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

/** A bearer token, valid for a day by the service's clock. @param name user name; `owner` is the developer. */
const tokenOf = async ({ stack, directory, now }: Place, name: string): Promise<string> => {
  const { publicKey, privateKey } = JSON.parse(readFileSync(join(directory, "issuer.json"), "utf8")) as Keys;
  const seconds = Math.floor(now() / 1000);
  return new SignJWT({ ...claimsOf(stack, name), email_verified: true })
    .setProtectedHeader({ alg: "RS256", kid: publicKey.kid ?? "" })
    .setIssuer(issuerName)
    .setAudience(localAudience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 86_400)
    .sign(await importJWK(privateKey, "RS256"));
};

/** Identity and project of a caller. */
export interface Asker {
  /** `key` for the API key, `owner` for the developer, `nobody` without credentials, otherwise a user name. */
  readonly as: string;
  /** Name of the project with an API key, its id with a token; absent outside of projects. */
  readonly project?: string;
}

/** Request headers of a caller. */
export const headersOf = async (place: Place, { as, project }: Asker): Promise<Readonly<Record<string, string>>> => {
  if (as === "nobody") return {};
  if (as !== "key") {
    const authorization = `Bearer ${await tokenOf(place, as)}`;
    return { authorization, ...(project !== undefined && { "x-project-id": project }) };
  }
  return { "x-api-key": place.stack.credentials.apiKey, ...(project !== undefined && { "x-project-name": project }) };
};
