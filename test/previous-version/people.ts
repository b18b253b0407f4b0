import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importJWK, type JWK, SignJWT } from "jose";
import { issuerName, localAudience } from "../../infra/local/issuer.ts";
import type { LocalStack } from "../../infra/local/local-stack.ts";

/** A service whose clock need not be the machine's. */
export interface Place {
  readonly stack: LocalStack;
  /** Where its issuer keeps its key. */
  readonly directory: string;
  /** What its functions take for the time, epoch milliseconds. */
  readonly now: () => number;
}

/** The address of somebody in the fixture. */
export const emailOf = (name: string): string => `${name}@example.com`;

const claimsOf = ({ credentials }: LocalStack, name: string) =>
  name === "owner"
    ? { sub: credentials.userId, email: "developer@localhost", name: "Local Developer" }
    : { sub: name, email: emailOf(name), name };

interface Keys {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

/** A bearer token that is good for a day by the service's clock. @param name `owner` is the developer. */
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

/** Who asks, and where. */
export interface Asker {
  /** `key` is the API key, `owner` the developer; others by the name they sign in with, `nobody` without credential. */
  readonly as: string;
  /** Name of the project with a key, its id with a token; absent outside of projects. */
  readonly project?: string;
}

/** The headers by which somebody asks. */
export const headersOf = async (place: Place, { as, project }: Asker): Promise<Readonly<Record<string, string>>> => {
  if (as === "nobody") return {};
  if (as !== "key") {
    const authorization = `Bearer ${await tokenOf(place, as)}`;
    return { authorization, ...(project !== undefined && { "x-project-id": project }) };
  }
  return { "x-api-key": place.stack.credentials.apiKey, ...(project !== undefined && { "x-project-name": project }) };
};
