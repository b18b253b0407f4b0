import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { createServer } from "node:http";
import { join } from "node:path";
import { readJson, writeJson } from "./host/json-file.ts";
import { listenOnLoopback, type Endpoint } from "./host/loopback-server.ts";

/** What goes into a token. */
export interface TokenRequest {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly audience?: string;
  /** Seconds the token is valid for. */
  readonly ttl: number;
}

/** Signs bearer tokens. */
export interface Signer {
  readonly publicKey: JWK;
  issueToken(request: TokenRequest): Promise<string>;
}

/** A running issuer of bearer tokens. */
export interface Issuer extends Endpoint, Pick<Signer, "issueToken"> {
  readonly jwksUri: string;
}

/** The issuer's name in its tokens: an address would change with its port. */
export const issuerName = "urn:assay:local-issuer";

/** The audience that the local service accepts. */
export const localAudience = "assay-local";

interface KeyPair {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

const keysIn = async (path: string): Promise<KeyPair> => {
  const kept = readJson<KeyPair>(path);
  if (kept !== undefined) return kept;
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const made = {
    publicKey: { ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() },
    privateKey: await exportJWK(privateKey),
  };
  writeJson(path, made);
  return made;
};

/** Signs with the key that is kept in the directory, and is made when there is none. */
export const openSigner = async (directory: string): Promise<Signer> => {
  const { publicKey, privateKey } = await keysIn(join(directory, "issuer.json"));
  const key = await importJWK(privateKey, "RS256");
  return {
    publicKey,
    issueToken: async ({ sub, email, name, audience = localAudience, ttl }) =>
      new SignJWT({ ...(email !== undefined && { email, email_verified: true }), ...(name !== undefined && { name }) })
        .setProtectedHeader({ alg: "RS256", kid: publicKey.kid ?? "" })
        .setIssuer(issuerName)
        .setSubject(sub)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${ttl}s`)
        .sign(key),
  };
};

/**
 * A small identity provider: a key set and tokens signed with it. Its key is kept in the directory.
 *
 * Does not do: log-in, any OAuth flow, refresh, revocation, key rotation.
 */
export const startIssuer = async (directory: string): Promise<Issuer> => {
  const { publicKey, issueToken } = await openSigner(directory);
  const documents: Readonly<Record<string, (origin: string) => unknown>> = {
    "/.well-known/jwks.json": () => ({ keys: [publicKey] }),
    "/.well-known/openid-configuration": (origin) => ({
      issuer: issuerName,
      jwks_uri: `${origin}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ["RS256"],
    }),
  };
  const server = createServer((request, response) => {
    const document = documents[request.url ?? ""];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document?.(`http://${request.headers.host}`) ?? { detail: "Not found." }));
  });
  const endpoint = await listenOnLoopback(server);
  return { ...endpoint, jwksUri: `${endpoint.url}/.well-known/jwks.json`, issueToken };
};
