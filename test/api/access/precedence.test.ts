import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { issuerName, startIssuer } from "../../../infra/local/issuer.ts";
import { getMe } from "../../../lib/contract/access/me.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { clientWith, type Headers } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";
import { databaseAt } from "../../support/service/service-database.ts";

/** Effect of a credential: accepted, refused, treated as not sent, or a valid key in place of a token. */
type Verdict = "good" | "bad" | "absent" | "key";

interface Credential {
  readonly name: string;
  readonly verdict: Verdict;
  readonly value: string | readonly string[] | undefined;
}

const service = inject("service");
let apiKeys: readonly Credential[];
let tokens: readonly Credential[];

const credential =
  (verdict: Verdict) =>
  (name: string, value: Credential["value"]): Credential => ({ name, verdict, value });
const [good, bad, absent] = [credential("good"), credential("bad"), credential("absent")];
const keyForToken = credential("key");

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

beforeAll(async () => {
  const { tenant, stranger } = service;
  const database = databaseAt(inject("storage"));
  const keys = apiKeyStore(database);
  const organizationId = await accessStore(database, 100).createOrganization("Precedence");
  const past = await keys.create(organizationId, "expired", -1);
  const revoked = await keys.create(organizationId, "revoked");
  await keys.revoke(organizationId, revoked.id);
  apiKeys = [
    absent("no key", undefined),
    absent("an empty key", ""),
    absent("a blank key", "  "),
    good("a key", tenant.apiKey),
    good("a key twice", [tenant.apiKey, tenant.apiKey]),
    good("a key and an empty one", [tenant.apiKey, ""]),
    bad("a malformed key", "nonsense"),
    bad("an unknown key", newApiKey()),
    bad("an expired key", past.key),
    bad("a revoked key", revoked.key),
    bad("two keys", [tenant.apiKey, stranger.apiKey]),
    bad("a token for a key", tenant.bearerToken),
  ];
  const token = tenant.bearerToken;
  const issuer = await startIssuer(inject("issuerDirectory"));
  const old = await issuer.issueToken({ sub: "someone", ttl: -10 });
  const foreign = await issuer.issueToken({ sub: "someone", audience: issuerName, ttl: 600 });
  await issuer.close();
  tokens = [
    absent("no token", undefined),
    absent("an empty header", ""),
    absent("the scheme alone", "Bearer"),
    absent("another scheme", `Basic ${token}`),
    good("a token", `Bearer ${token}`),
    good("a token, scheme in lower case", `bearer ${token}`),
    good("a token, scheme in upper case", `BEARER ${token}`),
    good("a token twice", [`Bearer ${token}`, `Bearer ${token}`]),
    bad("two blanks", `Bearer  ${token}`),
    bad("a tab", `Bearer\t${token}`),
    bad("a malformed token", "Bearer nonsense"),
    bad("a forged token", `Bearer ${token.slice(0, -4)}AAAA`),
    bad("an expired token", `Bearer ${old}`),
    bad("a token for somebody else", `Bearer ${foreign}`),
    bad("two tokens", [`Bearer ${token}`, `Bearer ${stranger.bearerToken}`]),
    bad("an unknown key for a token", `Bearer ${newApiKey()}`),
    bad("an unknown key for a password", basic("", newApiKey())),
    bad("a token for a password", basic("", token)),
    keyForToken("a key for a token", `Bearer ${tenant.apiKey}`),
    keyForToken("a key for a password", basic("default", tenant.apiKey)),
  ];
});

/** Headers that name no project: the one that a reply complains about shows which kind of caller was recognized. */
const wrongProjects: Headers = { "X-Project-ID": "no id", "X-Project-Name": "/" };

const expected = (key: Credential, token: Credential): string => {
  if (key.verdict !== "absent") return key.verdict === "good" ? "422 header.X-Project-Name" : "401 ";
  if (token.verdict === "key") return "422 header.X-Project-Name";
  return token.verdict === "good" ? "422 header.X-Project-ID" : "401 ";
};

test("a key takes precedence over a token; without a key the token decides", async () => {
  const pairs = apiKeys.flatMap((key) => tokens.map((token) => ({ key, token })));
  const outcomes = await Promise.all(
    pairs.map(async ({ key, token }) => {
      const headers = { ...wrongProjects, "X-API-Key": key.value, Authorization: token.value };
      const reply = await clientWith(service, headers).call(listTraces);
      return `${key.name}, ${token.name}: ${reply.status} ${problems(reply).join(" ")}`;
    }),
  );

  expect(pairs).toHaveLength(240);
  expect(outcomes).toEqual(pairs.map(({ key, token }) => `${key.name}, ${token.name}: ${expected(key, token)}`));
});

test("on a management route the token decides, whatever the key", async () => {
  const pairs = apiKeys.flatMap((key) => tokens.map((token) => ({ key, token })));
  const outcomes = await Promise.all(
    pairs.map(async ({ key, token }) => {
      const reply = await clientWith(service, { "X-API-Key": key.value, Authorization: token.value }).call(getMe);
      return `${key.name}, ${token.name}: ${reply.status}`;
    }),
  );

  expect(outcomes).toEqual(
    pairs.map(({ key, token }) => `${key.name}, ${token.name}: ${token.verdict === "good" ? 200 : 401}`),
  );
});

test("either header names the project with either credential, and the credential's own header takes precedence", async () => {
  const { apiKey, bearerToken, projectId, projectName } = service.tenant;
  const [key, token] = [{ "X-API-Key": apiKey }, { Authorization: `Bearer ${bearerToken}` }];
  const [byName, byId] = [{ "X-Project-Name": projectName }, { "X-Project-ID": projectId }];
  const cases: readonly (readonly [Headers, string])[] = [
    [{ ...key, ...byName }, "200 "],
    [{ ...key, ...byName, "X-Project-ID": "no id" }, "200 "],
    [{ ...key, ...byName, "X-Project-ID": ["a", "b"] }, "200 "],
    [{ ...key, ...byId }, "200 "],
    [{ ...key, ...token, ...byId }, "200 "],
    [{ ...key, "X-Project-ID": "no id" }, "422 header.X-Project-ID"],
    [{ ...key, "X-Project-ID": service.stranger.projectId }, "404 "],
    [{ ...key, ...byId, "X-Project-Name": "/" }, "422 header.X-Project-Name"],
    [{ ...key, ...byId, "X-Project-Name": ["a", "b"] }, "422 header.X-Project-Name"],
    [{ ...key, "X-Project-ID": [projectId, service.stranger.projectId] }, "422 header.X-Project-ID"],
    [key, "422 header.X-Project-Name"],
    [{ ...token, ...byId }, "200 "],
    [{ ...token, ...byId, "X-Project-Name": "/" }, "200 "],
    [{ ...token, ...byId, "X-API-Key": "" }, "200 "],
    [{ ...token, ...byName }, "200 "],
    [{ ...token, "X-Project-Name": "/" }, "422 header.X-Project-Name"],
    [{ ...token, "X-Project-Name": randomUUID() }, "404 "],
    [{ ...token, "X-Project-Name": ["a", "b"] }, "422 header.X-Project-Name"],
    [{ ...token, ...byId, "X-Project-Name": ["a", "b"] }, "200 "],
    [{ ...token, ...byName, "X-Project-ID": "no id" }, "422 header.X-Project-ID"],
    [{ ...token, ...byName, "X-Organization-ID": "no id" }, "422 header.X-Organization-ID"],
    [{ ...token, ...byName, "X-Organization-ID": randomUUID() }, "404 "],
    [token, "422 header.X-Project-ID"],
    [{ ...token, "X-Project-ID": [projectId, service.stranger.projectId] }, "422 header.X-Project-ID"],
    [{ ...token, ...byId, "X-Organization-ID": "no id" }, "200 "],
  ];
  const outcomes = await Promise.all(
    cases.map(async ([headers]) => {
      const reply = await clientWith(service, headers).call(listTraces);
      return `${reply.status} ${problems(reply).join(" ")}`;
    }),
  );

  expect(outcomes).toEqual(cases.map(([, outcome]) => outcome));
});
