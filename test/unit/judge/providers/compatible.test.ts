import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { custom, gemini, offline, openai, openrouter } from "../../../../lib/judge/providers/openai.ts";
import type { Connector, Settings } from "../../../../lib/judge/providers/provider.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

const key = "sk-0123456789abcdef";
const answered = (choice: object = {}, fields: object = {}) => ({
  status: 200,
  body: {
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "{}" }, finish_reason: "stop", ...choice }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
    },
    ...fields,
  },
});

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const ask = (provider: Connector, settings: Settings = { key }) =>
  provider({ baseUrl: `${fake.url}/base`, ...settings }, surroundings()).complete(question());

describe.each<readonly [string, Connector, Settings, string | undefined, object]>([
  ["openai", openai, { key }, `Bearer ${key}`, {}],
  ["gemini", gemini, { key }, `Bearer ${key}`, {}],
  ["openrouter", openrouter, { key }, `Bearer ${key}`, { provider: { require_parameters: true } }],
  ["custom", custom, { key }, `Bearer ${key}`, {}],
  ["custom without a key", custom, {}, undefined, {}],
  ["offline", offline, {}, undefined, {}],
])("%s", (_name, provider, settings, authorization, extra) => {
  test("is asked for a chat completion with a strict schema", async () => {
    fake.script(answered());

    const answer = await ask(provider, settings);

    expect(answer).toEqual({
      kind: "answer",
      text: "{}",
      tokens: { prompt: 100, completion: 20, cached: 40, written: 30 },
    });
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]?.path).toBe("/base/chat/completions");
    expect(fake.calls[0]?.headers.authorization).toBe(authorization);
    expect(fake.calls[0]?.body).toEqual({
      model: "model-1",
      messages: [
        { role: "system", content: "You are a judge." },
        { role: "user", content: "RECORD\nthe transcript\nEND\n\nHow well?" },
      ],
      response_format: {
        type: "json_schema",
        json_schema: { name: "confidence", strict: true, schema: question().schema },
      },
      [provider === custom ? "max_tokens" : "max_completion_tokens"]: 8192,
      temperature: 0,
      stream: false,
      ...extra,
    });
  });

  test.each([
    [400, "judge_bad_request"],
    [401, "judge_auth"],
    [402, "judge_no_credit"],
    [403, "judge_auth"],
    [404, "judge_bad_request"],
    [422, "judge_bad_request"],
    [429, "judge_rate_limited"],
    [500, "judge_unavailable"],
    [503, "judge_rate_limited"],
  ])("answers %i: %s, without the provider's text", async (status, code) => {
    fake.script({ status, body: { error: { message: `Your key is ${key}`, code: "some_code" } } });

    const failure = await ask(provider, settings);

    expect(failure).toMatchObject({ kind: "failure", code, message: expect.stringContaining(`HTTP ${status}`) });
    expect(JSON.stringify(failure)).not.toContain(key);
    expect(fake.calls).toHaveLength(1);
  });

  test("is retried after the requested wait", async () => {
    fake.script({ status: 429, body: {}, headers: { "retry-after": "3" } });

    expect(await ask(provider, settings)).toMatchObject({ code: "judge_rate_limited", retryAfter: 3000 });
  });
});

test.each([
  ["a refusal", { message: { refusal: "I will not." } }, "judge_refused"],
  ["a filtered answer", { finish_reason: "content_filter" }, "judge_refused"],
  ["an answer that was cut off", { finish_reason: "length" }, "judge_truncated"],
  ["a model whose provider failed", { finish_reason: "error", message: { content: "" } }, "judge_unavailable"],
])("%s is a failure with its reason, its tokens counted", async (_what, choice, code) => {
  fake.script(answered(choice));

  expect(await ask(openrouter)).toMatchObject({ kind: "failure", code, tokens: { prompt: 100 } });
});

test.each([
  ["that had no room beside its prompt", 3900, 196, true],
  ["that had room for an answer", 3072, 1024, false],
  ["at a limit of the operator", 3900, 900, false],
  ["without a count of its prompt", 0, 196, false],
  ["of a prompt that has fewer tokens than any question", 100, 20, false],
] as const)("a cut answer %s: prompt %i, answer %i tokens, too long %s", async (...row) => {
  const [, prompt_tokens, completion_tokens, isTooLong] = row;
  const reply = answered({ finish_reason: "length" });
  fake.script({ ...reply, body: { ...reply.body, usage: { prompt_tokens, completion_tokens } } });
  const client = custom(
    { baseUrl: fake.url },
    { ...surroundings(), ...(completion_tokens === 900 && { dialect: { maxTokens: 900 } }) },
  );

  expect(await client.complete(question())).toMatchObject({
    code: "judge_truncated",
    hints: isTooLong
      ? { isPromptTooLong: true, windowUse: { window: prompt_tokens + completion_tokens, prompt: prompt_tokens } }
      : null,
  });
});

test("an error that OpenRouter sends with a success status is an error", async () => {
  fake.script({ status: 200, body: { error: { code: 502, message: "upstream" } } });

  expect(await ask(openrouter)).toMatchObject({ kind: "failure", code: "judge_unavailable" });
});

test("an API key that Gemini does not know is distinguished from an invalid request", async () => {
  const geminiRefusal = (message: string) => ({ status: 400, body: [{ error: { code: 400, message } }] });
  fake.script(geminiRefusal("API key not valid. Please pass a valid API key."), geminiRefusal("Unsupported schema."));

  expect(await ask(gemini)).toMatchObject({ code: "judge_auth" });
  expect(await ask(gemini)).toMatchObject({ code: "judge_bad_request" });
});

describe("embeddings", () => {
  const embed = (provider: Connector, texts: readonly string[] = ["a", "b"]) =>
    provider({ key, baseUrl: fake.url }, surroundings()).embed?.("embedder")({ texts, timeout: 60_000 });
  const vectors = (...data: readonly object[]) => ({ status: 200, body: { data, usage: { prompt_tokens: 4 } } });

  test.each([
    ["openai", openai],
    ["gemini", gemini],
    ["openrouter", openrouter],
    ["custom", custom],
    ["offline", offline],
  ])("of %s are requested in one call and returned in the texts' order", async (_name, provider) => {
    fake.script(vectors({ index: 1, embedding: [0, 1] }, { index: 0, embedding: [1, 0] }));

    const embedded = await embed(provider);

    expect(embedded).toEqual({
      kind: "vectors",
      vectors: [
        [1, 0],
        [0, 1],
      ],
      tokens: 4,
    });
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]).toMatchObject({
      path: "/embeddings",
      body: { model: "embedder", input: ["a", "b"], encoding_format: "float" },
    });
  });

  test.each([
    ["too few vectors", [{ index: 0, embedding: [1] }]],
    [
      "vectors of two lengths",
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    ],
    [
      "an empty vector",
      [
        { index: 0, embedding: [] },
        { index: 1, embedding: [] },
      ],
    ],
    [
      "a vector of texts",
      [
        { index: 0, embedding: ["1"] },
        { index: 1, embedding: ["2"] },
      ],
    ],
  ])("with %s are malformed", async (_what, data) => {
    fake.script(vectors(...data));

    expect(await embed(openai)).toMatchObject({ kind: "failure", code: "judge_malformed" });
  });

  test("that are refused are classified like any call", async () => {
    fake.script({ status: 429, body: {}, headers: { "retry-after": "2" } });

    expect(await embed(openai)).toMatchObject({ code: "judge_rate_limited", retryAfter: 2000 });
  });
});

test("a reply that begins with a byte order mark is parsed", async () => {
  const { body } = answered();
  fake.script((response) => response.writeHead(200).end(`\ufeff${JSON.stringify(body)}`));

  expect(await ask(openai)).toMatchObject({ kind: "answer", text: "{}" });
});
