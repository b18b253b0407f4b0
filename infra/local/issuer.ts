import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { createServer } from "node:http";
import { join } from "node:path";
import { readJson, writeJson } from "./host/json-file.ts";
import { listenOnLoopback, type Endpoint } from "./host/loopback-server.ts";

/** Claims and lifetime of a token to issue. */
export interface TokenRequest {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly audience?: string;
  /** Lifetime of the token in seconds. */
  readonly ttl: number;
}

/** Signs bearer tokens with the local private key. */
export interface Signer {
  readonly publicKey: JWK;
  issueToken(request: TokenRequest): Promise<string>;
}

/** The running local token issuer: an HTTP endpoint with the public key set. */
export interface Issuer extends Endpoint, Pick<Signer, "issueToken"> {
  readonly jwksUri: string;
}

/** Value of the tokens' `iss` claim. Not a URL, because the port changes with every start. */
export const issuerName = "urn:assay:local-issuer";

/** Value of the tokens' `aud` claim that the local service accepts. */
export const localAudience = "assay-local";

interface KeyPair {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

const loadOrCreateKeys = async (path: string): Promise<KeyPair> => {
  const existing = readJson<KeyPair>(path);
  if (existing !== undefined) return existing;
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const keys = {
    publicKey: { ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() },
    privateKey: await exportJWK(privateKey),
  };
  writeJson(path, keys);
  return keys;
};

/** Opens a signer with the RSA key in `issuer.json` of a directory; creates the key if the file does not exist. */
export const openSigner = async (directory: string): Promise<Signer> => {
  const { publicKey, privateKey } = await loadOrCreateKeys(join(directory, "issuer.json"));
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
 * Starts a small identity provider: serves its key set and signs tokens. Its private key is stored in the directory.
 *
 * Not supported: login, OAuth flows, refresh, revocation, key rotation.
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
