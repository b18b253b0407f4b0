import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { bearerVerifier, deriveUserId } from "../../../lib/authorizer/bearer-token.ts";
import type { JwtSettings } from "../../../lib/authorizer/jwt-settings.ts";
import type { ApiKeys } from "../../../lib/store/access/api-keys.ts";
import {
  forgeries,
  goodClaims,
  goodHeader,
  json,
  keySetOf,
  newSigningKey,
  publicJwk,
  seconds,
  startWatchedServer,
  type Target,
  tokenOf,
} from "../../support/service/tokens.ts";
import { admission, authorizerEvent, denial, noSignIn, sharedKey } from "./request.ts";

const [rsa, ec, encryption] = [newSigningKey("RS256"), newSigningKey("ES256"), newSigningKey("RS256", "encryption")];
const keys = [rsa, ec, ...["RS384", "RS512", "ES384", "ES512"].map((alg) => newSigningKey(alg))];
const keyServer = await startWatchedServer(json({ ...keySetOf({ rsa, ec, encryption }) }));
const attacker = await startWatchedServer(json({ keys: [] }));
const target: Target = {
  issuer: "https://issuer.example/pool",
  audience: "assay",
  rsa,
  ec,
  encryption,
  attackerUrl: attacker.url,
};
const settings: JwtSettings = {
  issuer: target.issuer,
  jwksUri: `${keyServer.url}/jwks.json`,
  audiences: ["first", target.audience],
};

const verified = { email_verified: true };

const noKeys = {} as ApiKeys;
const opened: Socket[] = [];
const noteSocket = (message: unknown): void => void opened.push((message as { socket: Socket }).socket);

beforeAll(() => subscribe("net.client.socket", noteSocket));
afterAll(async () => {
  unsubscribe("net.client.socket", noteSocket);
  await Promise.all([keyServer.close(), attacker.close()]);
});

const authorizeWith = (jwtOptions: Partial<JwtSettings> = {}) => {
  const authorize = authorizer(noKeys, bearerVerifier([{ ...settings, ...jwtOptions }]), sharedKey, noSignIn);
  return (token: string) => authorize(authorizerEvent({ Authorization: `Bearer ${token}` }));
};

const signed = (claims: object = {}, key = rsa, header: object = {}): string =>
  tokenOf({ ...goodHeader(key), ...header }, { ...goodClaims(target), ...claims }, key);

const userId = deriveUserId(target.issuer, "someone");
const admitted = (context: Readonly<Record<string, string>> = {}) =>
  admission(userId, { principal: "user", user_id: userId, ...context });
const invalid = denial("Invalid token.");

describe("forged, expired, mis-issued and abused tokens", () => {
  const authorize = authorizeWith();
  const forged = forgeries(target);

  test("are more than a hundred, all different", () => {
    expect(new Set(forged.map(([name]) => name)).size).toBe(forged.length);
    expect(new Set(forged.map(([, token]) => token)).size).toBeGreaterThan(forged.length - 3);
    expect(forged.length).toBeGreaterThan(100);
  });

  test.each(forged)("%s", async (name, token) => {
    const expired = name.startsWith("expired");

    expect(await authorize(token)).toEqual(expired ? denial("Token has expired.") : invalid);
  });

  test("cause no request but the one to the configured key set", async () => {
    const [before, requestsBefore] = [opened.length, keyServer.requests.length];
    const cold = authorizeWith();

    const replies = await Promise.all(forged.map(([, token]) => cold(token)));

    expect(replies.filter(({ policyDocument }) => JSON.stringify(policyDocument).includes("Allow"))).toEqual([]);
    expect(keyServer.requests.slice(requestsBefore)).toEqual(["/jwks.json"]);
    expect(opened.length - before).toBeLessThanOrEqual(1);
    expect(attacker.requests).toEqual([]);
  });

  test("do not affect valid tokens that come after them", async () => {
    expect(await authorize(signed())).toEqual(admitted());
  });
});

describe("a valid token", () => {
  test.each(keys.map((key) => [key.alg, key] as const))("may be signed with %s", async (_alg, key) => {
    const server = await startWatchedServer(json({ keys: keys.map(publicJwk) }));
    const verdict = await authorizeWith({ jwksUri: server.url })(signed({}, key));
    await server.close();

    expect(verdict).toEqual(admitted());
  });

  test.each<[string, object]>([
    ["a list with our audience", { aud: ["other", target.audience] }],
    ["another of our audiences", { aud: "first" }],
    ["no time of issue", { iat: undefined }],
    ["a time of issue half a minute from now", { iat: seconds() + 30 }],
    ["a past start", { nbf: seconds() - 5 }],
    ["fractions of a second", { iat: seconds() - 0.5, exp: seconds() + 60.5 }],
    ["a lifetime of 30 days", { exp: seconds() + 30 * 86_400 }],
    ["a lifetime of 90 days", { iat: seconds(), exp: seconds() + 90 * 86_400 }],
    ["claims of its own", { scope: "openid", nonce: "x", events: {}, "https://x.example/claim": [1] }],
  ])("may have %s", async (_name, claims) => {
    expect(await authorizeWith()(signed(claims))).toEqual(admitted());
  });

  test.each(["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", undefined])(
    "may be of the type %s",
    async (typ) => {
      expect(await authorizeWith()(signed({}, rsa, { typ }))).toEqual(admitted());
    },
  );

  test("is valid until its last moment and not after it", async () => {
    let now = Date.now();
    const verify = bearerVerifier([settings], () => now);
    const exp = seconds() + 600;
    const token = signed({ exp });

    now = exp * 1000 - 1;
    expect(await verify(token)).toMatchObject({ kind: "user", userId });
    now = exp * 1000;
    expect(await verify(token)).toEqual({ kind: "refused", detail: "Token has expired." });
  });

  test("identifies its user by issuer and subject", async () => {
    const foreignToken = signed({ iss: "https://other.example" });
    const elsewhere = await authorizeWith({ issuer: "https://other.example" })(foreignToken);

    expect(elsewhere.principalId).toBe(deriveUserId("https://other.example", "someone"));
    expect(elsewhere.principalId).not.toBe(userId);
  });
});

describe("an issuer whose keys do not state their algorithm", () => {
  const publicKeys = keys.map((key) => ({ ...publicJwk(key), alg: undefined }));
  const kidOf = (alg: string): string => keys.find((key) => key.alg === alg)?.kid ?? "";

  test.each([
    ["RS256", "RS256", true],
    ["RS512", "RS256", true],
    ["ES256", "ES256", true],
    ["ES256", "RS256", false],
    ["RS256", "ES256", false],
    ["ES384", "ES256", false],
    ["ES256", "ES512", false],
    ["PS256", "RS256", false],
    ["HS256", "RS256", false],
    ["EdDSA", "ES256", false],
  ])("with %s under a key for %s: %s", async (alg, keyAlg, good) => {
    const server = await startWatchedServer(json({ keys: publicKeys }));
    const key = keys.find((each) => each.alg === keyAlg) ?? rsa;
    const bits = /\d+$/.exec(alg)?.[0] ?? "256";
    const token = signed({}, { ...key, alg: `${key.alg.slice(0, 2)}${bits}` }, { alg, kid: kidOf(keyAlg) });

    expect(await authorizeWith({ jwksUri: server.url })(token)).toEqual(good ? admitted() : invalid);
    await server.close();
  });
});

describe("the settings of a deployment", () => {
  test("may name another claim for the audience", async () => {
    const authorize = authorizeWith({ audienceClaim: "client_id" });

    expect(await authorize(signed({ aud: undefined, client_id: target.audience }))).toEqual(admitted());
    expect(await authorize(signed({ client_id: "other" }))).toEqual(invalid);
    expect(await authorize(signed())).toEqual(invalid);
  });

  test("may require one token use (token_use claim)", async () => {
    const authorize = authorizeWith({ tokenUse: "access" });

    expect(await authorize(signed({ token_use: "access" }))).toEqual(admitted());
    expect(await authorize(signed({ token_use: "id" }))).toEqual(invalid);
    expect(await authorize(signed({ token_use: ["access"] }))).toEqual(invalid);
    expect(await authorize(signed())).toEqual(invalid);
  });

  test("may name another claim for the email address", async () => {
    const authorize = authorizeWith({ emailClaim: "upn" });

    expect(await authorize(signed({ upn: "a@b.example", email: "c@d.example", ...verified }))).toEqual(
      admitted({ email: "a@b.example" }),
    );
  });

  test("may state that the issuer names verified addresses only", async () => {
    const authorize = authorizeWith({ emailsVerified: true });

    expect(await authorize(signed({ email: "a@b.example" }))).toEqual(admitted({ email: "a@b.example" }));
    expect(await authorize(signed({ email: "\u212a@b.example" }))).toEqual(admitted());
  });

  test("without an audience admit nobody", async () => {
    expect(await authorizeWith({ audiences: [] })(signed())).toEqual(invalid);
  });

  test("without an issuer admit nobody", async () => {
    const authorize = authorizer(noKeys, null, sharedKey, noSignIn);

    expect(await authorize(authorizerEvent({ Authorization: `Bearer ${signed()}` }))).toEqual(
      denial("Bearer tokens are not accepted by this deployment."),
    );
  });
});

describe("the user's claims in a token", () => {
  const authorize = authorizeWith();
  const long = `${"a".repeat(310)}@b.example`;

  test.each([
    [true, true],
    ["true", true],
    [undefined, false],
    [null, false],
    [false, false],
    ["false", false],
    ["False", false],
    ["TRUE", false],
    ["no", false],
    ["", false],
    [0, false],
    [1, false],
    [[true], false],
    [{}, false],
  ])(
    "include the email address when email_verified is true, and otherwise not: %j",
    async (email_verified, expectedAddress) => {
      const email = "a@b.example";
      expect(await authorize(signed({ email, email_verified }))).toEqual(admitted(expectedAddress ? { email } : {}));
    },
  );

  test.each<[string, object, Readonly<Record<string, string>>]>([
    [
      "address and name",
      { email: "A@b.example", ...verified, name: "Ann" },
      { email: "A@b.example", display_name: "Ann" },
    ],
    ["an address of 320 characters", { email: long, ...verified }, { email: long }],
    ["a longer address", { email: `a${long}`, ...verified }, {}],
    ["no address", { email: "ann", ...verified }, {}],
    ["an address on two lines", { email: "a@b.example\nc", ...verified }, {}],
    ["an address that is a list", { email: ["a@b.example"], ...verified }, {}],
    ["an address that looks like another", { email: "\u212aate@b.example", ...verified }, {}],
    ["a name with lines", { name: " Ann\r\n\u0000Other " }, { display_name: "Ann Other" }],
    ["a long name", { name: "\u{1f600}".repeat(300) }, { display_name: "\u{1f600}".repeat(255) }],
    ["an empty name", { name: "\n" }, {}],
    ["a name that is an object", { name: { toString: 1 } }, {}],
  ])("are passed on: %s", async (_name, claims, context) => {
    expect(await authorize(signed(claims))).toEqual(admitted(context));
  });
});

describe("the Authorization header", () => {
  const missing = denial(
    "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).",
  );
  const authorize = authorizer(noKeys, bearerVerifier([settings]), sharedKey, noSignIn);
  const good = signed();

  test.each(["Bearer", "bearer", "BEARER", "bEaReR"])("accepts the scheme as %s", async (scheme) => {
    expect(await authorize(authorizerEvent({ Authorization: `${scheme} ${good}` }))).toEqual(admitted());
  });

  test.each(["Authorization", "authorization", "AUTHORIZATION", "aUtHoRiZaTiOn"])("may be named %s", async (name) => {
    expect(await authorize(authorizerEvent({ [name]: `Bearer ${good}` }))).toEqual(admitted());
  });

  test.each<[string, string | readonly string[]]>([
    ["nothing", ""],
    ["blanks", "  "],
    ["the scheme alone", "Bearer"],
    ["the scheme and a blank", "Bearer "],
    ["two blanks", `Bearer  ${good}`],
    ["a tab", `Bearer\t${good}`],
    ["a colon", `Bearer: ${good}`],
    ["no blank", `Bearer${good}`],
    ["a blank before", ` Bearer ${good}`],
    ["a blank after", `Bearer ${good} `],
    ["a line end", `Bearer ${good}\n`],
    ["the token alone", good],
    ["another scheme", `Basic ${good}`],
    ["two schemes", `Bearer Bearer ${good}`],
    ["two tokens", `Bearer ${good} ${good}`],
    ["two values", [`Bearer ${good}`, "Bearer x"]],
    ["two good values", [`Bearer ${good}`, `Bearer ${signed({ sub: "other" })}`]],
  ])("does not hold %s", async (_name, value) => {
    expect(await authorize(authorizerEvent({ Authorization: value }))).toEqual(missing);
  });

  test("may be sent twice when both values are equal", async () => {
    const twice = [`Bearer ${good}`, `Bearer ${good}`];

    expect(await authorize(authorizerEvent({ Authorization: twice }))).toEqual(admitted());
    expect(await authorize(authorizerEvent({ Authorization: ["", `Bearer ${good}`] }))).toEqual(admitted());
  });
});
