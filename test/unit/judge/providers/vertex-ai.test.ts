import { createVerify, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isServiceAccount } from "../../../../lib/judge/providers/google-service-account.ts";
import { vertexAi } from "../../../../lib/judge/providers/vertex-ai.ts";
import { startFakeProvider, type FakeProvider, type ReceivedCall } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const completion = { choices: [{ message: { content: "{}" } }], usage: { prompt_tokens: 7 } };

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const account = () => ({
  type: "service_account",
  project_id: "my-project",
  private_key_id: "key-1",
  private_key: privateKey,
  client_email: "judge@my-project.iam.gserviceaccount.com",
  token_uri: `${fake.url}/token`,
});
const access = (now = () => 1_000_000_000_000) =>
  vertexAi(
    { key: JSON.stringify(account()), baseUrl: `${fake.url}/v1/projects/my-project/locations/global` },
    surroundings({ now }),
  );

/** Answers token requests with numbered tokens and the other requests with these bodies. */
const serving = (...bodies: readonly unknown[]) => {
  let tokens = 0;
  let served = 0;
  fake.script((response, { path }: ReceivedCall) => {
    response.writeHead(200, { "content-type": "application/json" });
    if (path === "/token") response.end(JSON.stringify({ access_token: `ya29.${++tokens}`, expires_in: 3600 }));
    else response.end(JSON.stringify(bodies[Math.min(served++, bodies.length - 1)]));
  });
};
const calls = (path: RegExp) => fake.calls.filter((call) => path.test(call.path));

test("a question carries an access token obtained with the service account's key", async () => {
  serving(completion);

  const answer = await access().complete(question({ model: "gemini-3.6-flash" }));

  expect(answer).toMatchObject({ kind: "answer", tokens: { prompt: 7 } });
  expect(calls(/completions$/u)).toMatchObject([
    {
      path: "/v1/projects/my-project/locations/global/endpoints/openapi/chat/completions",
      headers: { authorization: "Bearer ya29.1" },
      body: { model: "google/gemini-3.6-flash", response_format: { json_schema: { strict: true } } },
    },
  ]);
});

test("a token request carries a claim that is signed with the account's key", async () => {
  serving(completion);

  await access().complete(question());

  const form = new URLSearchParams(calls(/token/u)[0]?.text);
  const [head = "", claims = "", signature = ""] = form.get("assertion")?.split(".") ?? [];
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
  expect(decoded(head)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
  expect(decoded(claims)).toEqual({
    iss: "judge@my-project.iam.gserviceaccount.com",
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: `${fake.url}/token`,
    iat: 1_000_000_000,
    exp: 1_000_003_600,
  });
  const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
  expect(verify.verify(publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

test("a token is shared by all calls until shortly before it expires", async () => {
  serving(completion);
  let now = 0;
  const { complete } = access(() => now);

  await Promise.all([complete(question()), complete(question()), complete(question())]);
  now = 3_479_999;
  await complete(question());
  expect(calls(/token/u)).toHaveLength(1);
  now = 3_480_000;
  await complete(question());

  expect(calls(/token/u)).toHaveLength(2);
  expect(calls(/completions/u).at(-1)?.headers.authorization).toBe("Bearer ya29.2");
});

describe("a token request that is refused", () => {
  test.each([
    [400, "invalid_grant", "judge_auth"],
    [401, "invalid_client", "judge_auth"],
    [429, "rate_limited", "judge_rate_limited"],
    [503, "backend_error", "judge_rate_limited"],
    [500, "internal", "judge_unavailable"],
  ])(
    "with %i %s makes the question fail as %s, and the next question requests a token again",
    async (status, error, code) => {
      fake.script({ status, body: { error, error_description: privateKey } });
      const { complete } = access();

      const failures = [await complete(question()), await complete(question())];

      expect(failures).toMatchObject([{ code }, { code }]);
      expect(JSON.stringify(failures)).not.toContain("PRIVATE");
      expect(calls(/token/u)).toHaveLength(2);
      expect(calls(/completions/u)).toHaveLength(0);
    },
  );

  test("for lack of an answer is not reported as a wrong key", async () => {
    fake.script((response) => response.destroy());

    expect(await access().complete(question())).toMatchObject({ code: "judge_unavailable" });
  });
});

test("embeddings are predictions of the model, one call per text", async () => {
  const predicted = (values: readonly number[]) => ({
    predictions: [{ embeddings: { values, statistics: { token_count: 2, truncated: false } } }],
  });
  serving(predicted([1, 0]));

  const embedded = await access().embed?.("gemini-embedding-001")({ texts: ["a", "b"], timeout: 60_000 });

  expect(embedded).toEqual({
    kind: "vectors",
    vectors: [
      [1, 0],
      [1, 0],
    ],
    tokens: 4,
  });
  expect(calls(/predict/u).map(({ path, body }) => [path, body])).toEqual(
    expect.arrayContaining([
      [
        "/v1/projects/my-project/locations/global/publishers/google/models/gemini-embedding-001:predict",
        { instances: [{ content: "b" }] },
      ],
    ]),
  );
});

test.each([
  ["a word", "sk-123"],
  ["another JSON", "{}"],
  ["a user's credentials", JSON.stringify({ type: "authorized_user", client_id: "x", refresh_token: "y" })],
])("%s is no service account", (_what, text) => {
  expect(isServiceAccount(text)).toBe(false);
});

test("a service account whose private key is invalid is no service account", () => {
  const broken = { ...account(), private_key: privateKey.replace("M", "!") };

  expect(isServiceAccount(JSON.stringify(broken))).toBe(false);
});

test("a key file of a service account is accepted", () => {
  expect(isServiceAccount(JSON.stringify(account(), null, 2))).toBe(true);
});
