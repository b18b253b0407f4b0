import { promptTokens } from "../../../../lib/judge/providers/reply.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic } from "../../../../lib/judge/providers/anthropic.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

const key = "sk-ant-0123456789abcdef";
const usage = {
  input_tokens: 50,
  cache_creation_input_tokens: 200,
  cache_read_input_tokens: 1000,
  output_tokens: 30,
};
const message = (fields: object = {}): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5-5",
  content: [
    { type: "thinking", thinking: "", signature: "x" },
    { type: "text", text: '{"reason":"r",' },
    { type: "text", text: '"verdict":"fully"}' },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
  ...fields,
});
const failing = (status: number, type: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  body: { type: "error", error: { type, message: `Your key is ${key}` }, request_id: "req_1" },
  headers,
});

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const ask = (fields: Parameters<typeof question>[0] = {}) =>
  anthropic({ key, baseUrl: fake.url }, surroundings()).complete(question(fields));

test("a question is sent to the Messages API, with the cache breakpoint on the transcript and the schema behind it", async () => {
  fake.script({ status: 200, body: message() });

  await ask();

  expect(fake.calls).toHaveLength(1);
  expect(fake.calls[0]).toMatchObject({
    method: "POST",
    path: "/v1/messages",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
  });
  expect(fake.calls[0]?.body).toEqual({
    model: "model-1",
    max_tokens: 8192,
    temperature: 0,
    system: [{ type: "text", text: "You are a judge." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "RECORD\nthe transcript\nEND", cache_control: { type: "ephemeral" } },
          { type: "text", text: expect.stringMatching(/^How well\?\n\nAnswer with one JSON object[\s\S]*"required"/u) },
        ],
      },
    ],
  });
});

test("two questions about a target differ behind the cache breakpoint only", async () => {
  fake.script({ status: 200, body: message() });

  await ask();
  await ask({ question: "And why?", schemaName: "plan", schema: { type: "object" } });

  const [first, second] = fake.calls.map(({ text }) => text.split('"cache_control"')[0]);
  expect(first).toContain("the transcript");
  expect(second).toBe(first);
});

test("a question without a transcript has no cache breakpoint", async () => {
  fake.script({ status: 200, body: message() });

  await ask({ record: "" });

  expect(fake.calls[0]?.text).not.toContain("cache_control");
  expect(fake.calls[0]?.body).toMatchObject({ messages: [{ content: [{ type: "text" }] }] });
});

test("an answer is the message's text without its thinking, and tokens include those read from and written to the cache", async () => {
  fake.script({ status: 200, body: message() });

  expect(await ask()).toEqual({
    kind: "answer",
    text: '{"reason":"r","verdict":"fully"}',
    tokens: { prompt: 1250, completion: 30, cached: 1000, written: 200 },
  });
});

test("an API key in the answer is redacted", async () => {
  fake.script({ status: 200, body: message({ content: [{ type: "text", text: `It is ${key}.` }] }) });

  expect(await ask()).toMatchObject({ text: "It is [key]." });
});

describe("a message without an answer", () => {
  test.each([
    ["refusal", "judge_refused", null],
    ["max_tokens", "judge_truncated", null],
    ["model_context_window_exceeded", "judge_truncated", { isPromptTooLong: true, windowUse: { window: 1280 } }],
  ])("that ended with %s is %s, its tokens counted", async (ending, code, hints) => {
    fake.script({ status: 200, body: message({ stop_reason: ending }) });

    expect(await ask()).toMatchObject({ kind: "failure", code, hints, tokens: { prompt: 1250, completion: 30 } });
  });

  test.each([
    ["no content", message({ content: [] })],
    ["content that is no list", message({ content: { text: "x" } })],
    ["only thoughts", message({ content: [{ type: "thinking", thinking: "hm" }] })],
    ["a tool call", message({ content: [{ type: "tool_use", input: {} }], stop_reason: "tool_use" })],
    ["a list", []],
    ["a stop reason named like an object's method", message({ content: [], stop_reason: "constructor" })],
  ])("is malformed: %s", async (_what, body) => {
    fake.script({ status: 200, body });

    expect(await ask()).toMatchObject({ kind: "failure", code: "judge_malformed" });
  });

  test("may come from a gateway whose server is away when it is not JSON", async () => {
    fake.script((response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>"));

    expect(await ask()).toMatchObject({ code: "judge_unavailable", isDoubtful: true });
  });
});

describe("an error", () => {
  test.each([
    [400, "invalid_request_error", "judge_bad_request"],
    [401, "authentication_error", "judge_auth"],
    [402, "billing_error", "judge_no_credit"],
    [403, "permission_error", "judge_auth"],
    [404, "not_found_error", "judge_bad_request"],
    [413, "request_too_large", "judge_bad_request"],
    [429, "rate_limit_error", "judge_rate_limited"],
    [500, "api_error", "judge_unavailable"],
    [504, "timeout_error", "judge_unavailable"],
    [529, "overloaded_error", "judge_rate_limited"],
  ])("%i %s is %s, with a message of this service", async (status, type, code) => {
    fake.script(failing(status, type));

    const failure = await ask();

    expect(failure).toMatchObject({ kind: "failure", code, retryAfter: null });
    expect(failure).toHaveProperty("message", expect.stringContaining(`(HTTP ${status}, ${type})`));
    expect(JSON.stringify(failure)).not.toContain(key);
  });

  test("says how long to wait", async () => {
    fake.script(failing(429, "rate_limit_error", { "retry-after": "7" }));

    expect(await ask()).toMatchObject({ retryAfter: 7000 });
  });

  test("of a proxy in between is classified by its status", async () => {
    fake.script((response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>"));

    expect(await ask()).toMatchObject({ code: "judge_unavailable", message: expect.stringContaining("(HTTP 502)") });
  });

  test("is a time-out when no reply arrives in time", async () => {
    fake.script(() => {});

    expect(await ask({ timeout: 100 })).toMatchObject({
      code: "judge_unavailable",
      message: "The judge's provider did not answer in time.",
    });
  });

  test("is unreachable when the connection breaks", async () => {
    fake.script((response) => response.destroy());

    expect(await ask()).toMatchObject({
      code: "judge_unavailable",
      message: "The judge's provider could not be reached.",
    });
  });
});

test.each([
  [10, 5, 3, { prompt: 18, cached: 5, written: 3 }],
  [0, 5, undefined, { prompt: 5, cached: 5, written: 0 }],
  [-5, 100, 3, { prompt: 0, cached: 0, written: 0 }],
  [undefined, 100, 3, { prompt: 0, cached: 0, written: 0 }],
  ["12", 100, 3, { prompt: 0, cached: 0, written: 0 }],
])("a prompt of %j tokens with %j cached and %j written counts as none where its count is impossible", (...row) => {
  const [uncached, cached, written, tokens] = row;

  expect(promptTokens(uncached, cached, written)).toEqual(tokens);
});
