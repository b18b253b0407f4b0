import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";

/** A part of a token: text is inserted unchanged, any other value as JSON. */
type Part = string | object | null;

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const hashes: Readonly<Record<string, string>> = { 256: "sha256", 384: "sha384", 512: "sha512" };
const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };

/** A new signing key for RS256, RS384, RS512, ES256, ES384 or ES512. */
export const newSigningKey = (alg: string, kid = `key-${alg}`): SigningKey => {
  const curve = curves[alg];
  const pair =
    curve === undefined
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: curve });
  return { kid, alg, ...pair };
};

/** The public JWK of a signing key. */
export const publicJwk = ({ kid, alg, publicKey }: SigningKey): Record<string, unknown> => ({
  ...publicKey.export({ format: "jwk" }),
  kid,
  alg,
  use: "sig",
});

const encoded = (part: Part): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");

/** A token with any header and claims, signed with the key's algorithm regardless of the header. */
export const tokenOf = (header: Part, claims: Part, { alg, privateKey }: SigningKey): string => {
  const input = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign(hashes[alg.slice(2)], Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
};

/** A token signed with a shared secret (HS256). */
const hmacToken = (header: Part, claims: Part, secret: string): string => {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
};

/** A server on 127.0.0.1 that records its requests. */
export interface WatchedServer {
  readonly url: string;
  /** Requested paths, in order. */
  readonly requests: string[];
  /** Sets the listener for the following requests. */
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

/** Replies with a JSON document. */
export const json =
  (document: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
  };

export const startWatchedServer = async (first: RequestListener): Promise<WatchedServer> => {
  const requests: string[] = [];
  let listener = first;
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    listener(request, response);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    requests,
    serve: (next) => {
      listener = next;
    },
    close: async () => {
      server.closeAllConnections();
      await close();
    },
  };
};

/** Issuer and audience that forged tokens imitate. */
export interface Target {
  readonly issuer: string;
  readonly audience: string;
  /** Signing keys in the issuer's key set. */
  readonly rsa: SigningKey;
  readonly ec: SigningKey;
  /** Encryption key in the issuer's key set. */
  readonly encryption: SigningKey;
  /** URL of a server controlled by the attacker. */
  readonly attackerUrl: string;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** Claims of an accepted token. */
export const goodClaims = ({ issuer, audience }: Pick<Target, "issuer" | "audience">): Record<string, unknown> => ({
  iss: issuer,
  aud: audience,
  sub: "someone",
  iat: seconds() - 10,
  exp: seconds() + 600,
});

export const goodHeader = ({ alg, kid }: SigningKey): Record<string, unknown> => ({ alg, kid, typ: "JWT" });

const changed = (text: string, at: number): string => {
  const index = at < 0 ? text.length + at : at;
  return `${text.slice(0, index)}${text[index] === "A" ? "B" : "A"}${text.slice(index + 1)}`;
};

/** Encodes the same signature bytes with the unused bits of the last base64 character set. */
const respelled = (signature: string): string => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1) ?? "");
  return signature.slice(0, -1) + (alphabet[last + 1] ?? "");
};

type Forgery = readonly [name: string, token: string];

const brokenSignatures = (target: Target): readonly Forgery[] => {
  const { rsa, ec } = target;
  const claims = goodClaims(target);
  const good = tokenOf(goodHeader(rsa), claims, rsa);
  const otherToken = tokenOf(goodHeader(rsa), { ...claims, sub: "other" }, rsa);
  const [head = "", body = "", signature = ""] = good.split(".");
  const stranger = newSigningKey("RS256", rsa.kid);
  const ecInput = `${encoded(goodHeader(ec))}.${encoded(claims)}`;
  const der = sign("sha256", Buffer.from(ecInput), ec.privateKey).toString("base64url");
  return [
    ["no signature", `${head}.${body}.`],
    ["two parts", `${head}.${body}`],
    ["one part", head],
    ["four parts", `${good}.${signature}`],
    ["five parts, like an encrypted token", `${head}.${signature}.${signature}.${body}.${signature}`],
    ["only dots", ".."],
    ["another token's signature", `${head}.${body}.${otherToken.split(".")[2]}`],
    ["another token's claims", `${head}.${otherToken.split(".")[1]}.${signature}`],
    ["a changed first character of the signature", `${head}.${body}.${changed(signature, 0)}`],
    ["a changed last but one character of the signature", `${head}.${body}.${changed(signature, -2)}`],
    ["a signature in another spelling of the same bytes", `${head}.${body}.${respelled(signature)}`],
    ["a padded signature", `${good}==`],
    ["a signature in plain base64", `${head}.${body}.${Buffer.from(signature, "base64url").toString("base64")}+/`],
    ["half a signature", `${head}.${body}.${signature.slice(0, signature.length / 2)}`],
    ["a signature of zeros", `${head}.${body}.${Buffer.alloc(256).toString("base64url")}`],
    ["an elliptic signature of zeros", `${ecInput}.${Buffer.alloc(64).toString("base64url")}`],
    ["an elliptic signature in DER", `${ecInput}.${der}`],
    ["claims changed after signing", `${head}.${encoded({ ...claims, sub: "admin" })}.${signature}`],
    ["a header changed after signing", `${encoded({ ...goodHeader(rsa), x: 1 })}.${body}.${signature}`],
    ["a stranger's signature under a known key id", tokenOf(goodHeader(rsa), claims, stranger)],
    [
      "a stranger's signature under an unknown key id",
      tokenOf({ ...goodHeader(stranger), kid: "stranger" }, claims, stranger),
    ],
    ["the JSON form of a signed token", JSON.stringify({ protected: head, payload: body, signature })],
    ["two tokens with a comma", `${good},${good}`],
  ];
};

const abusedHeaders = (target: Target): readonly Forgery[] => {
  const { rsa, ec, encryption, attackerUrl } = target;
  const claims = goodClaims(target);
  const ownKey = newSigningKey("RS256", rsa.kid);
  const spki = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();
  const modulus = String(rsa.publicKey.export({ format: "jwk" }).n);
  const headed = (extraHeader: object, key = rsa): string =>
    tokenOf({ ...goodHeader(rsa), ...extraHeader }, claims, key);
  const symmetric = { ...goodHeader(rsa), alg: "HS256" };
  const unsigned = (alg: string): string => `${encoded({ ...goodHeader(rsa), alg })}.${encoded(claims)}.`;
  return [
    ["alg none and no signature", unsigned("none")],
    ["alg None and no signature", unsigned("None")],
    ["alg nOnE and a signature", headed({ alg: "nOnE" })],
    ["alg none and a signature", headed({ alg: "none" })],
    ["alg HS256 with the public key as the secret", hmacToken(symmetric, claims, spki)],
    ["alg HS256 with the trimmed public key as the secret", hmacToken(symmetric, claims, spki.trim())],
    ["alg HS256 with the modulus as the secret", hmacToken(symmetric, claims, modulus)],
    ["alg HS256 with an empty secret", hmacToken(symmetric, claims, "")],
    ["alg HS256 under the id of a symmetric key of the set", hmacToken({ ...symmetric, kid: "oct" }, claims, "secret")],
    ["alg in lower case", headed({ alg: "rs256" })],
    ["no alg", headed({ alg: undefined })],
    ["alg null", headed({ alg: null })],
    ["alg a list", headed({ alg: ["RS256"] })],
    ["alg __proto__", headed({ alg: "__proto__" })],
    ["alg toString", headed({ alg: "toString" })],
    ["alg PS256", headed({ alg: "PS256" })],
    ["alg RS512 on a key for RS256", headed({ alg: "RS512" }, { ...rsa, alg: "RS512" })],
    ["alg ES256 on an RSA key", headed({ alg: "ES256" })],
    ["alg RS256 on an elliptic key", headed({ kid: ec.kid }, ec)],
    ["alg ES384 on a P-256 key", headed({ kid: ec.kid, alg: "ES384" }, { ...ec, alg: "ES384" })],
    ["no kid", headed({ kid: undefined })],
    ["kid empty", headed({ kid: "" })],
    ["kid null", headed({ kid: null })],
    ["kid a number", headed({ kid: 0 })],
    ["kid a list", headed({ kid: [rsa.kid] })],
    ["kid a path", headed({ kid: "../../../../dev/null" })],
    ["kid a query", headed({ kid: "x' UNION SELECT 'key" })],
    ["kid an address", headed({ kid: `${attackerUrl}/kid` }, ownKey)],
    ["kid __proto__", headed({ kid: "__proto__" })],
    ["kid of 5 KB", headed({ kid: "k".repeat(5_000) })],
    ["kid of an encryption key", headed({ kid: encryption.kid }, encryption)],
    ["an embedded key, signed with it", headed({ jwk: publicJwk(ownKey) }, ownKey)],
    ["an embedded key without kid", headed({ kid: undefined, jwk: publicJwk(ownKey) }, ownKey)],
    ["an embedded key, signed by the issuer", headed({ jwk: publicJwk(rsa) })],
    ["jku of the attacker", headed({ jku: `${attackerUrl}/jku` }, ownKey)],
    ["jku of the attacker, signed by the issuer", headed({ jku: `${attackerUrl}/jku` })],
    ["x5u of the attacker", headed({ x5u: `${attackerUrl}/x5u` }, ownKey)],
    ["x5u of the attacker, signed by the issuer", headed({ x5u: `${attackerUrl}/x5u` })],
    ["x5c", headed({ x5c: ["MIIB"] }, ownKey)],
    ["crit", headed({ crit: ["exp"] })],
    ["crit empty", headed({ crit: [] })],
    ["crit with an unencoded payload", headed({ crit: ["b64"], b64: false })],
    ["a nested token", headed({ cty: "JWT" })],
    ["the type of a logout token", headed({ typ: "logout+jwt" })],
    ["the type of a proof of possession", headed({ typ: "dpop+jwt" })],
    ["typ a number", headed({ typ: 1 })],
    ["two algs", tokenOf(`{"alg":"RS256","kid":"${rsa.kid}","alg":"none"}`, claims, rsa)],
    ["a header that is no JSON", tokenOf("alg", claims, rsa)],
    ["a header that is a list", tokenOf([goodHeader(rsa)], claims, rsa)],
    ["a header that is null", tokenOf(null, claims, rsa)],
  ];
};

const wrongClaims = (target: Target): readonly Forgery[] => {
  const { rsa, issuer, audience, attackerUrl } = target;
  const good = goodClaims(target);
  const now = seconds();
  const year = 365 * 86_400;
  const claiming = (extraClaims: object): string => tokenOf(goodHeader(rsa), { ...good, ...extraClaims }, rsa);
  const raw = (claims: Part): string => tokenOf(goodHeader(rsa), claims, rsa);
  const claimsText = JSON.stringify(good);
  return [
    ["expired an hour ago", claiming({ iat: now - 7200, exp: now - 3600 })],
    ["expired a second ago", claiming({ exp: now - 1 })],
    ["expired at this second", claiming({ exp: now })],
    ["no exp", claiming({ exp: undefined })],
    ["exp null", claiming({ exp: null })],
    ["exp text", claiming({ exp: String(now + 600) })],
    ["exp true", claiming({ exp: true })],
    ["expired in 1970", claiming({ exp: 0 })],
    ["exp below 0", claiming({ exp: -1 })],
    ["exp in milliseconds", claiming({ exp: Date.now() + 600_000 })],
    ["exp in ten years", claiming({ exp: now + 10 * year })],
    ["exp in ten years and no iat", claiming({ iat: undefined, exp: now + 10 * year })],
    ["exp infinite", raw(claimsText.replace(/"exp":\d+/, '"exp":1e999'))],
    ["valid for 91 days", claiming({ iat: now - 10, exp: now + 91 * 86_400 })],
    ["issued in 1970", claiming({ iat: 0 })],
    ["issued in an hour", claiming({ iat: now + 3600, exp: now + 7200 })],
    ["issued in 90 seconds", claiming({ iat: now + 90 })],
    ["iat text", claiming({ iat: String(now) })],
    ["iat null", claiming({ iat: null })],
    ["not before an hour from now", claiming({ nbf: now + 3600, exp: now + 7200 })],
    ["not before half a minute from now", claiming({ nbf: now + 30 })],
    ["nbf text", claiming({ nbf: "0" })],
    ["no iss", claiming({ iss: undefined })],
    ["another iss", claiming({ iss: "https://other.example" })],
    ["iss of the attacker", claiming({ iss: attackerUrl })],
    ["iss and a slash", claiming({ iss: `${issuer}/` })],
    ["iss in upper case", claiming({ iss: issuer.toUpperCase() })],
    ["iss a list", claiming({ iss: [issuer] })],
    ["iss null", claiming({ iss: null })],
    ["no aud", claiming({ aud: undefined })],
    ["another aud", claiming({ aud: "other" })],
    ["aud a part of ours", claiming({ aud: audience.slice(0, -1) })],
    ["aud with ours inside", claiming({ aud: `${audience} other` })],
    ["aud in upper case", claiming({ aud: audience.toUpperCase() })],
    ["aud empty", claiming({ aud: "" })],
    ["aud an empty list", claiming({ aud: [] })],
    ["aud a list of others", claiming({ aud: ["a", "b"] })],
    ["aud a list with a list of ours", claiming({ aud: [[audience]] })],
    ["aud an object", claiming({ aud: { [audience]: true } })],
    ["aud a number", claiming({ aud: 1 })],
    ["aud null and another claim", claiming({ aud: null, client_id: audience })],
    ["no sub", claiming({ sub: undefined })],
    ["sub empty", claiming({ sub: "" })],
    ["sub a number", claiming({ sub: 1 })],
    ["sub null", claiming({ sub: null })],
    ["sub a list", claiming({ sub: ["someone"] })],
    ["sub of 256 characters", claiming({ sub: "s".repeat(256) })],
    ["sub under __proto__ only", raw(claimsText.replace('"sub":"someone"', '"__proto__":{"sub":"someone"}'))],
    ["claims that are no JSON", raw("claims")],
    ["claims that are a list", raw([good])],
    ["claims that are null", raw(null)],
    ["claims that are text", raw('"claims"')],
    ["claims that are a token", raw(claiming({}))],
    ["more than 8 KB", claiming({ padding: "x".repeat(6_000) })],
  ];
};

/** Tokens that must be rejected although some carry valid signatures of the target's keys. */
export const forgeries = (target: Target): readonly Forgery[] => [
  ...brokenSignatures(target),
  ...abusedHeaders(target),
  ...wrongClaims(target),
];

/** Key set of a target, including keys not meant for signatures. */
export const keySetOf = ({ rsa, ec, encryption }: Pick<Target, "rsa" | "ec" | "encryption">): object => ({
  keys: [
    { kty: "oct", kid: "oct", alg: "HS256", k: Buffer.from("secret").toString("base64url") },
    { ...publicJwk(encryption), use: "enc" },
    { kty: "unheard-of", kid: 7 },
    publicJwk(rsa),
    publicJwk(ec),
  ],
});
