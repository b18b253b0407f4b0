import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { anthropic } from "../../../../lib/judge/providers/anthropic.ts";
import { custom, openai, openrouter } from "../../../../lib/judge/providers/openai.ts";
import { providerClients } from "../../../../lib/judge/providers/connections.ts";
import { providerCatalogue } from "../../../../lib/judge/providers/provider-settings.ts";
import { dialectSettings } from "../../../../lib/wiring/dialects.ts";
import type { Connector } from "../../../../lib/judge/providers/provider.ts";
import { type BrokenServer, type ServerBehaviour, startBrokenServer } from "../../../support/faults/broken-server.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const answered = {
  status: 200,
  body: {
    choices: [{ message: { content: "{}" }, finish_reason: "stop" }],
    content: [{ type: "text", text: "{}" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 },
  },
};
/** Starts a broken server that is closed when its test has ended. */
const startServer = async (conduct: ServerBehaviour): Promise<BrokenServer> => {
  const server = await startBrokenServer(conduct);
  onTestFinished(server.close);
  return server;
};

const clientOf = (provider: Connector) => provider({ key: "sk-0123456789abcdef", baseUrl: fake.url }, surroundings());

/** Refusals in the wording of each provider, and the changed fields of the next request. */
const refusalCases: readonly (readonly [string, Connector, number, object, object])[] = [
  [
    "a reasoning model of OpenAI that takes no temperature",
    openai,
    400,
    {
      error: {
        message:
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        type: "invalid_request_error",
        param: "temperature",
        code: "unsupported_value",
      },
    },
    { temperature: undefined, max_completion_tokens: 8192 },
  ],
  [
    "a server that knows the older name of the limit",
    openai,
    400,
    {
      error: {
        message: "Unrecognized request argument supplied: max_completion_tokens",
        type: "invalid_request_error",
        param: null,
        code: null,
      },
    },
    { max_completion_tokens: undefined, max_tokens: 8192 },
  ],
  [
    "a custom server that knows the newer one",
    custom,
    400,
    {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "unsupported_parameter",
      },
    },
    { max_completion_tokens: 8192, max_tokens: undefined },
  ],
  [
    "a server of FastAPI that forbids unknown fields",
    openai,
    422,
    {
      detail: [
        {
          type: "extra_forbidden",
          loc: ["body", "max_completion_tokens"],
          msg: "Extra inputs are not permitted",
          input: 8192,
        },
      ],
    },
    { max_completion_tokens: undefined, max_tokens: 8192 },
  ],
  [
    "a model that gives fewer tokens",
    custom,
    400,
    {
      error: {
        message:
          "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
        param: "max_tokens",
        code: "invalid_value",
      },
    },
    { max_tokens: 4096 },
  ],
  [
    "a server that names the range of tokens",
    custom,
    400,
    { error: { message: "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]" } },
    { max_tokens: 4096 },
  ],
  [
    "a server without strict schemas",
    custom,
    400,
    {
      error: {
        message: "This response_format type is unavailable now",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    },
    { response_format: { type: "json_object" } },
  ],
  [
    "a router that finds nobody for a strict schema",
    openrouter,
    404,
    { error: { message: "No endpoints found that can handle the requested parameters.", code: 404 } },
    { response_format: { type: "json_object" } },
  ],
  [
    "Claude that takes no temperature",
    anthropic,
    400,
    { type: "error", error: { type: "invalid_request_error", message: "`temperature` is deprecated for this model." } },
    { temperature: undefined, max_tokens: 8192 },
  ],
  [
    "Claude that gives fewer tokens",
    anthropic,
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307",
      },
    },
    { max_tokens: 4096 },
  ],
  [
    "Claude that takes no effort",
    anthropic,
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "This model does not support the effort parameter." },
    },
    { output_config: undefined },
  ],
];

describe("a refusal that names a parameter changes the requests to that model", () => {
  test.each(refusalCases)("%s", async (_name, provider, status, body, next) => {
    fake.script({ status, body }, answered);
    const client = clientOf(provider);
    const effortQuestion = question({ effort: "low" });

    expect(await client.complete(effortQuestion)).toMatchObject({ kind: "answer" });
    expect(await client.complete(effortQuestion)).toMatchObject({ kind: "answer" });

    expect(fake.calls).toHaveLength(3);
    const fieldsOf = (body: unknown) => Object.fromEntries(Object.keys(next).map((name) => [name, Object(body)[name]]));
    for (const { body: sent } of fake.calls.slice(1)) expect(fieldsOf(sent)).toMatchObject(next);
  });
});

test("what was learned of one model does not apply to another, and is recorded", async () => {
  const [, provider, status, body] = refusalCases[0] ?? [];
  fake.script({ status: status ?? 0, body: body ?? {} }, answered);
  const client = clientOf(provider ?? openai);

  await client.complete(question({ model: "o-model" }));
  await client.complete(question({ model: "other" }));

  expect(fake.calls.map(({ body: sent }) => Object.hasOwn(Object(sent), "temperature"))).toEqual([true, false, true]);
  expect(client.sampling("o-model", "low")).toEqual({ temperature: null, effort: "low" });
  expect(client.sampling("other", null)).toEqual({ temperature: 0, effort: null });
});

test("a server that accepts no response format gets the schema in the question", async () => {
  const refusal = { status: 400, body: { error: { message: "'response_format' is not supported" } } };
  fake.script(refusal, refusal, answered);

  expect(await clientOf(custom).complete(question())).toMatchObject({ kind: "answer" });

  const last = fake.calls[2]?.body;
  expect(last).not.toHaveProperty("response_format");
  expect(JSON.stringify(last)).toContain("which it has to fit");
});

test("a refusal that teaches nothing new is not followed by another request", async () => {
  fake.script({ status: 400, body: { error: { message: "temperature", param: "temperature" } } });

  expect(await clientOf(openai).complete(question())).toMatchObject({ kind: "failure", code: "judge_bad_request" });
  expect(fake.calls).toHaveLength(2);
});

describe("an account without credit, a content filter, a prompt that is too long", () => {
  test.each([
    [
      openai,
      429,
      {
        error: {
          message: "You exceeded your current quota, please check your plan and billing details.",
          type: "insufficient_quota",
          code: "insufficient_quota",
        },
      },
      "judge_no_credit",
    ],
    [
      openai,
      400,
      {
        error: {
          message: "Billing hard limit has been reached",
          type: "invalid_request_error",
          code: "billing_hard_limit_reached",
        },
      },
      "judge_no_credit",
    ],
    [
      openai,
      429,
      { error: { message: "Your account is not active", type: "billing_not_active", code: "billing_not_active" } },
      "judge_no_credit",
    ],
    [openrouter, 402, { error: { message: "Insufficient credits", code: 402 } }, "judge_no_credit"],
    [
      anthropic,
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message:
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
        },
      },
      "judge_no_credit",
    ],
    [
      openai,
      429,
      {
        error: { message: "Rate limit reached for gpt-5 in organization", type: "tokens", code: "rate_limit_exceeded" },
      },
      "judge_rate_limited",
    ],
    [
      openai,
      400,
      {
        error: {
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: "prompt",
          code: "content_filter",
          status: 400,
          innererror: { code: "ResponsibleAIPolicyViolation" },
        },
      },
      "judge_refused",
    ],
    [
      openai,
      400,
      {
        error: {
          message:
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
      "judge_bad_request",
    ],
    [
      anthropic,
      400,
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      },
      "judge_bad_request",
    ],
  ])("%o answers %i %j: %s", async (provider, status, body, code) => {
    fake.script({ status, body });

    expect(await clientOf(provider).complete(question())).toMatchObject({ kind: "failure", code, isUnbilled: true });
    expect(fake.calls).toHaveLength(1);
  });
});

describe("an error", () => {
  test.each([
    [400, {}, true],
    [429, {}, true],
    [529, {}, true],
    [503, { "retry-after": "1" }, true],
    [408, {}, false],
    [500, {}, false],
    [502, {}, false],
    [503, {}, false],
    [504, {}, false],
    [524, {}, false],
  ])("%i with %j is certainly unbilled: %s", async (status, headers, isUnbilled) => {
    fake.script({ status, headers, body: {} });

    expect(await clientOf(openai).complete(question())).toMatchObject({ kind: "failure", isUnbilled });
  });
});

test.each([
  ["no server", async ({ url, close }: BrokenServer) => close().then(() => url)],
  ["a server without TLS", async () => fake.url.replace("http:", "https:")],
  ["a server that does not answer TLS", async ({ url }: BrokenServer) => url.replace("http:", "https:")],
])("a call is unbilled if no connection is made: %s", async (_, urlOf) => {
  const server = await startServer(() => undefined);
  const client = openai({ key: "sk-0123456789abcdef", baseUrl: await urlOf(server) }, surroundings());

  const failure = await client.complete(question({ timeout: 300 }));

  expect(failure).toMatchObject({ code: "judge_unavailable", isUnbilled: true });
});

test("a call waits ten seconds for a connection, not its whole time-out", async () => {
  const server = await startServer(() => undefined);
  const baseUrl = server.url.replace("http:", "https:");
  const client = openai({ key: "sk-0123456789abcdef", baseUrl }, surroundings());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  const call = client.complete(question({ timeout: 120_000 }));
  while (server.connections === 0) await new Promise((resolve) => void setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(9_990);
  const before = await Promise.race([call, Promise.resolve("waits")]);
  await vi.advanceTimersByTimeAsync(10);

  expect(before).toBe("waits");
  expect(await call).toMatchObject({ code: "judge_unavailable", isUnbilled: true });
});

test.each([
  ["does not answer", () => undefined],
  ["breaks the connection", (socket: Socket) => socket.resetAndDestroy()],
])("a call may be billed if it reached a server that %s", async (_, conduct) => {
  const server = await startServer(conduct);
  const client = openai({ key: "sk-0123456789abcdef", baseUrl: server.url }, surroundings());

  const failure = await client.complete(question({ timeout: 1_000 }));

  expect([failure, server.requests]).toMatchObject([{ code: "judge_unavailable", isUnbilled: false }, 1]);
});

test("parameters set by the operator for a provider's models are used in the first request, and refusals still change them", async () => {
  const dialects = dialectSettings({
    JUDGE_DIALECTS: JSON.stringify({
      openai: { answerFormat: "json_object", outputLimit: "max_tokens", outputTokens: 4000, callSeconds: 150 },
    }),
  });
  const find = providerClients(
    { openai: { key: "/key", baseUrl: "/url" } },
    async (name) => (name === "/key" ? "sk-0123456789abcdef" : fake.url),
    surroundings(),
    dialects,
  );
  const entry = providerCatalogue.find(({ key }) => key === "openai");
  const match = entry === undefined ? null : await find(entry);
  if (!match?.ready) throw new Error("The provider is not ready.");
  const refusal = {
    status: 400,
    body: { error: { message: "response_format is not supported", param: "response_format" } },
  };
  fake.script(answered, refusal, answered);

  await match.client.complete(question());
  await match.client.complete(question());

  const formats = fake.calls.map(({ text }) => /"response_format":\{"type":"(\w+)"/u.exec(text)?.[1]);
  expect(formats).toEqual(["json_object", "json_object", undefined]);
  expect(fake.calls.map(({ text }) => /"max_\w+":\d+/u.exec(text)?.[0])).toEqual(Array(3).fill('"max_tokens":4000'));
  expect(match.client).toMatchObject({ maxAnswerTokens: 4000, maxCallTime: 150_000 });
  for (const bad of ['{"openai": {"outputTokens": 1}}', '{"openai": {"callSeconds": "60"}}'])
    expect(() => dialectSettings({ JUDGE_DIALECTS: bad })).toThrow(/Invalid/u);
  expect(() => dialectSettings({ JUDGE_DIALECTS: '{"openai": {"answerFormat": "xml"}}' })).toThrow(/Invalid type/u);
});
