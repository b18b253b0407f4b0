import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic } from "../../../../lib/judge/providers/anthropic.ts";
import { bedrock } from "../../../../lib/judge/providers/bedrock.ts";
import { openAiDecisions, systemOne } from "../../../../lib/judge/providers/decisions.ts";
import { custom } from "../../../../lib/judge/providers/openai.ts";
import type { Connector, Failure } from "../../../../lib/judge/providers/provider.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const predicate = { name: "done", text: "It is done.", yes: "done", no: "not done" };

/** Asks a provider whose requests all get one reply. Dialects are fixed, so that a refusal is not repeated in another one. */
const ask = (connector: Connector, status: number, body: unknown) => {
  fake.script({ status, body });
  const client = connector({ key: "sk-0123456789abcdef", baseUrl: fake.url }, surroundings());
  return client.decide === undefined
    ? client.complete(question())
    : client.decide({ model: "m", system: "s", state: "t", predicates: [predicate], timeout: 60_000 });
};

const completion = (fields: object, choice: object = {}) => ({
  id: "x",
  object: "chat.completion",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "{}" }, ...choice }],
  usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  ...fields,
});
/** A completion without an answer, beside whose error LiteLLM sends empty fields. */
const empty = (error: unknown) => ({
  ...completion({ error }, { message: { role: "assistant", content: null } }),
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
});
const upstream = (code: unknown, raw: unknown) => ({
  error: { message: "Provider returned error", code, metadata: { raw, provider_name: "Acme" } },
});

type Row = readonly [title: string, code: Failure["code"], body: unknown];

/** Errors in replies with the status 200, in the words of gateways and servers. */
const withinSuccess: readonly Row[] = [
  ["OpenRouter without credit", "judge_no_credit", { error: { code: 402, message: "This needs more credits." } }],
  ["OpenRouter with a wrong key", "judge_auth", { error: { code: 401, message: "No cookie auth credentials" } }],
  ["OpenRouter without such a model", "judge_bad_request", { error: { code: 404, message: "No endpoints for a/b." } }],
  [
    "OpenRouter's moderation",
    "judge_refused",
    { error: { code: 403, message: "Blocked.", metadata: { reasons: ["violence"], flagged_input: "..." } } },
  ],
  ["OpenRouter's busy provider", "judge_rate_limited", upstream(429, "error code: 1015")],
  ["OpenRouter without a provider", "judge_rate_limited", { error: { code: 503, message: "None is there." } }],
  ["OpenRouter's broken provider", "judge_unavailable", upstream(502, "<html>bad gateway</html>")],
  ["OpenRouter's provider without credit", "judge_no_credit", upstream(502, '{"error":{"code":402}}')],
  ["OpenRouter's provider with a limit", "judge_rate_limited", upstream("502", { error: { code: "429" } })],
  [
    "OpenRouter's provider that refuses, as text",
    "judge_bad_request",
    upstream(400, '{"error":{"message":"Unsupported value","param":"top_p"}}'),
  ],
  ["a raw error alone, as an object", "judge_no_credit", upstream(null, { error: { type: "insufficient_quota" } })],
  ["an error in the first choice", "judge_rate_limited", completion({}, { error: { code: 429, message: "Busy" } })],
  ["a filtered first choice", "judge_refused", completion({}, { error: { code: "400", message: "content_filter" } })],
  ["LiteLLM's number as text", "judge_auth", empty({ message: "AuthenticationError", type: "None", code: "401" })],
  ["LiteLLM beside an empty answer", "judge_rate_limited", empty({ message: "RateLimitError", code: "429" })],
  ["LiteLLM's exceeded budget", "judge_no_credit", { error: { type: "budget_exceeded", code: "400" } }],
  ["vLLM", "judge_bad_request", { object: "error", message: "m", type: "NotFoundError", param: null, code: 404 }],
  ["SGLang", "judge_bad_request", { object: "error", message: "Bad", type: "BadRequestError", code: 400 }],
  ["SGLang without a number", "judge_rate_limited", { object: "error", type: "ServiceUnavailableError", code: null }],
  ["TGI's validation", "judge_bad_request", { error: "Input validation error: empty", error_type: "validation" }],
  ["TGI overloaded", "judge_rate_limited", { error: "Model is overloaded", error_type: "overloaded" }],
  ["TGI's generation", "judge_unavailable", { error: "Request failed", error_type: "generation" }],
  ["llama.cpp while it loads", "judge_rate_limited", { error: { code: 503, type: "unavailable_error" } }],
  ["Ollama's sentence", "judge_bad_request", { error: "model 'x' not found, try pulling it first" }],
  ["Ollama's type", "judge_bad_request", { error: { type: "not_found_error", param: null, code: null } }],
  ["Azure's deployment", "judge_bad_request", { error: { code: "DeploymentNotFound", message: "None." } }],
  ["Azure's filter", "judge_refused", { error: { code: "content_filter", message: "Filtered." } }],
  ["Azure's limit", "judge_rate_limited", { error: { code: "429", message: "Exceeded the call rate limit." } }],
  ["Gemini's list", "judge_rate_limited", [{ error: { code: 429, status: "RESOURCE_EXHAUSTED" } }]],
  ["Gemini's status alone", "judge_auth", { error: { status: "PERMISSION_DENIED", message: "No." } }],
  ["Gemini's key", "judge_auth", { error: { code: 400, message: "API key not valid. Pass a valid one." } }],
  ["Bedrock's throttling", "judge_rate_limited", { __type: "ThrottlingException", message: "Slow down." }],
  ["Bedrock's validation", "judge_bad_request", { __type: "ValidationException", message: "Malformed." }],
  ["Anthropic's form", "judge_rate_limited", { type: "error", error: { type: "overloaded_error", message: "m" } }],
  ["a sentence about credit", "judge_no_credit", { error: { message: "Insufficient balance on this account" } }],
  ["an error of unknown meaning", "judge_unavailable", { error: { message: "Something went wrong: invalid state" } }],
  ["a number that is no status", "judge_unavailable", { error: { code: 1234, message: "Oops" } }],
];

const connectors: Readonly<Record<string, Connector>> = { custom, anthropic, bedrock, openAiDecisions, systemOne };

describe.each(Object.entries(connectors))("%s", (_name, connector) => {
  test.each(withinSuccess)("reads the error of %s within a successful reply: %s", async (_title, code, body) => {
    expect(await ask(connector, 200, body)).toMatchObject({
      kind: "failure",
      code,
      message: expect.stringContaining("HTTP 200 with error"),
    });
  });
});

test("an error within a successful reply and an error status are the same failure, but for the name of the status", async () => {
  const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);

  for (const status of statuses) {
    const body = { error: { code: status, message: "No." } };
    const [within, plain] = [await ask(custom, 200, body), await ask(custom, status, body)];

    expect(within).toEqual({ ...plain, message: expect.stringContaining(`HTTP 200 with error ${status}`) });
  }
});

test.each([
  [[408, 409, 425], "judge_unavailable"],
  [[429, 503, 529], "judge_rate_limited"],
  [[402], "judge_no_credit"],
  [[401, 403], "judge_auth"],
  [[400, 404, 413, 422, 501, 505], "judge_bad_request"],
  [[424, 500, 502, 504, 507, 520, 524, 599], "judge_unavailable"],
] as const)("the statuses %j are %s", async (statuses, code) => {
  for (const status of statuses) expect(await ask(custom, status, {})).toMatchObject({ code });
});

test("429 for a request that is larger than the limit per minute is final, other limits wait", async () => {
  const limit = (message: string) => ({ error: { message, type: "tokens", code: "rate_limit_exceeded" } });

  expect(await ask(custom, 429, limit("Request too large for m: Limit 9000, Requested 14000."))).toMatchObject({
    code: "judge_bad_request",
    hints: { isPromptTooLong: true },
  });
  expect(await ask(custom, 429, limit("Rate limit reached for m: Limit 9000, Used 8999."))).toMatchObject({
    code: "judge_rate_limited",
    hints: null,
  });
});

/** Refusals of a prompt of 6,000 tokens beside an answer of 8,192 in a window of 8,192, in the words of servers. */
const windows: readonly (readonly [server: string, status: number, body: unknown])[] = [
  [
    "OpenAI and Azure",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 14192 tokens (6000 in the messages, 8192 in the completion).",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 6000 input tokens (8192 > 8192 - 6000).",
      code: 400,
    },
  ],
  [
    "SGLang",
    400,
    {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 14192 tokens: 6000 tokens from the input messages and 8192 tokens for the completion.",
      code: 400,
    },
  ],
  [
    "TGI",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6000 `inputs` tokens and 8192 `max_new_tokens`",
      error_type: "validation",
    },
  ],
  [
    "OpenRouter",
    400,
    {
      error: {
        message:
          "This endpoint's maximum context length is 8192 tokens. However, you requested about 14192 tokens (6000 of text input, 8192 in the output).",
        code: 400,
      },
    },
  ],
  [
    "Anthropic",
    400,
    { error: { message: "input length and `max_tokens` exceed context limit: 6000 + 8192 > 8192, decrease them" } },
  ],
];

test.each(windows)(
  "a refusal of %s that names its window is asked again for what is left of it",
  async (_, status, body) => {
    fake.script({ status, body }, { status: 200, body: completion({}) });
    const client = custom({ baseUrl: fake.url }, surroundings());

    const answers = [await client.complete(question()), await client.complete(question())];

    expect(answers).toMatchObject([{ kind: "answer" }, { kind: "answer" }]);
    // Another prompt may leave more.
    expect(fake.calls.map((call) => Object(call.body)["max_tokens"])).toEqual([8192, 2192, 8192]);
  },
);

test("a prompt that leaves too little of its window for an answer, or is refused again, is too long", async () => {
  const windowOf = (prompt: number) => ({
    error: {
      message: `This model's maximum context length is 8192 tokens. However, you requested ${prompt + 8192} tokens (${prompt} in the messages, 8192 in the completion).`,
      param: "messages",
      code: "context_length_exceeded",
    },
  });
  const limits = () => fake.calls.map(({ body }) => Object(body)["max_tokens"]);

  expect(await ask(custom, 400, windowOf(7500))).toMatchObject({ hints: { isPromptTooLong: true } });
  expect(limits()).toEqual([8192]);
  expect(await ask(custom, 400, windowOf(2000))).toMatchObject({ hints: { isPromptTooLong: true } });
  expect(limits()).toEqual([8192, 6192]);
});

/** Limits of output tokens of the calls since the last script. */
const sentLimits = () => fake.calls.map(({ body }) => Object(body)["max_tokens"] as unknown);

test("a prompt that a refusal names too large for any answer is shortened, whatever the refusal says of the output", async () => {
  for (const message of [
    "input length and `max_tokens` exceed context limit: 13186 + 8192 > 14000, decrease input length or `max_tokens`",
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 14000 tokens and your request has 13186 input tokens (8192 > 14000 - 13186).",
  ]) {
    expect(await ask(custom, 400, { error: { message } })).toMatchObject({ hints: { isPromptTooLong: true } });
    expect(sentLimits()).toEqual([8192]);
  }
});

test("where a server names only the least tokens of a prompt, the output limit is lowered before the prompt is shortened", async () => {
  const window = 16_384;
  const reply = (limit: number) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${window} tokens. However, you requested ${limit} output tokens and your prompt contains at least ${window - limit + 1} input tokens, for a total of at least ${window + 1} tokens.`,
      },
    },
  });
  fake.script(reply(8192), reply(4096), { status: 200, body: completion({}) });

  expect(await custom({ baseUrl: fake.url }, surroundings()).complete(question())).toMatchObject({ kind: "answer" });
  expect(sentLimits()).toEqual([8192, 4096, 2048]);

  fake.script(reply(8192), reply(4096), reply(2048), reply(1024));
  expect(await custom({ baseUrl: fake.url }, surroundings()).complete(question())).toMatchObject({
    hints: { isPromptTooLong: true },
  });
  expect(sentLimits()).toEqual([8192, 4096, 2048, 1024]);
});

test("a window that names the tokens of tools or of the response format leaves the schema as it is", async () => {
  const message = (prompt: string, total: number) =>
    `The maximum context length is 8192 tokens. However, you requested ${total} tokens (${prompt}, 8192 in the output).`;

  for (const text of [
    message("1160 in the messages, 150 in the response_format", 9502),
    message("1000 of text input, 310 of tool input", 9502),
    message("8000 of text input, 200 of tool input", 16_392),
  ]) {
    fake.script({ status: 400, body: { error: { message: text } } }, { status: 200, body: completion({}) });
    const client = custom({ baseUrl: fake.url }, surroundings());
    await client.complete(question());
    await client.complete(question());

    expect(fake.calls.map((call) => Object(call.body).response_format?.type)).toEqual(
      fake.calls.map(() => "json_schema"),
    );
  }
});

const raw = (code: unknown, text: string) => upstream(code, JSON.stringify({ error: { message: text } }));

/** Refusals of a prompt for its size under various statuses, in the words of servers. */
const sizes: readonly (readonly [server: string, status: number, body: unknown])[] = [
  [
    "llama.cpp and LM Studio",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
  ],
  [
    "llama.cpp",
    500,
    { error: { message: "No.", type: "exceed_context_size_error", n_prompt_tokens: 9000, n_ctx: 4096 } },
  ],
  ["a gateway", 502, { error: { message: "Upstream refused.", code: "context_length_exceeded" } }],
  ["LiteLLM", 500, { error: { message: "ContextWindowExceededError: m", type: null, code: "500" } }],
  ["LiteLLM in other words", 500, { error: { message: "litellm.APIError: the messages exceed context window of m" } }],
  ["OpenRouter within a successful reply", 200, upstream(502, "prompt is too long: 210000 tokens > 200000 maximum")],
  ["xAI", 400, { error: "This model's maximum prompt length is 8192 but the request contains 13187 tokens." }],
  [
    "xAI behind OpenRouter",
    502,
    raw(400, "This model's maximum prompt length is 8192 but the request contains 9 tokens."),
  ],
  ["vLLM", 400, { message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192." }],
  [
    "vLLM under 500",
    500,
    { message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192." },
  ],
  [
    "Cohere",
    400,
    { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000." },
  ],
  ["Cohere in newer words", 400, { message: "too many tokens: size limit exceeded by 113 tokens. Try fewer inputs." }],
  ["Alibaba", 400, { error: { message: "Range of input length should be [1, 30720]" } }],
  [
    "Cerebras",
    400,
    { message: "Please reduce the length of the messages. Current length is 9000 while limit is 8192" },
  ],
  ["Moonshot", 400, { error: { message: "Invalid request: Your request exceeded model token limit: 8192" } }],
  ["Zhipu", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["vLLM without room for an answer", 400, { message: "max_tokens must be at least 1, got -12." }],
  ["Baichuan", 400, { message: "prompt has 9000 tokens in total, larger than the model input length limit 8192" }],
  [
    "TensorRT-LLM",
    400,
    { message: "sum of prompt length (9000), query length (0) should not exceed max_num_tokens (8192)" },
  ],
  ["TensorRT-LLM without room", 400, { message: "default_max_tokens (-5) must be greater than 0" }],
  [
    "a server of Transformers",
    400,
    { message: "Token indices sequence length is longer than the specified maximum sequence length" },
  ],
  ["OpenAI in newer words", 400, { error: { message: "Input tokens exceed the configured limit of 8192 tokens." } }],
  ["a server in words of its own", 400, { error: "Limit 8192, while the prompt of 9000 tokens came." }],
];

test.each(sizes)(
  "a prompt that is too long for %s is refused for good under %i, and shortened",
  async (_, status, body) => {
    expect(await ask(custom, status, body)).toMatchObject({
      code: "judge_bad_request",
      message: expect.stringContaining("it is too long"),
      hints: { isPromptTooLong: true },
    });
    expect(fake.calls).toHaveLength(1);
  },
);

test("a refusal that compares other things than tokens is not about the length of the prompt", async () => {
  const message = "metadata must be at most 16 pairs, but the request contains 20";

  expect(await ask(custom, 400, { error: { message } })).toMatchObject({ code: "judge_bad_request", hints: null });
});

test("an error of a server that only mentions a size may pass", async () => {
  for (const message of [
    "Loading a model with a context length of 32768",
    "Out of memory: KV cache, context window 4096",
  ])
    expect(await ask(custom, 500, { error: { message } })).toMatchObject({ code: "judge_unavailable", hints: null });
});

test("a request above the limit per minute is asked again for an answer that fits beside its prompt", async () => {
  const message =
    "Request too large for model `m` on tokens per minute (TPM): Limit 12000, Requested 14192, please reduce your message size.";
  fake.script({ status: 413, body: { error: { message, type: "tokens" } } }, { status: 200, body: completion({}) });

  expect(await custom({ baseUrl: fake.url }, surroundings()).complete(question())).toMatchObject({ kind: "answer" });
  expect(sentLimits()).toEqual([8192, 6000]);
});

test("a window that may have run full in the middle of an answer counts as billed, a refused prompt does not", async () => {
  expect(await ask(custom, 500, { error: { message: "Context size has been exceeded." } })).toMatchObject({
    isUnbilled: false,
  });
  expect(await ask(custom, 502, { error: { code: "context_length_exceeded" } })).toMatchObject({ isUnbilled: true });
});

test("the error of a provider behind a gateway counts for what it is under any status of a server", async () => {
  for (const status of [200, 500, 502, 504])
    expect(await ask(custom, status, upstream(502, { error: { code: 429 } }))).toMatchObject({
      code: "judge_rate_limited",
      message: expect.stringContaining(`(HTTP ${status} with error 429)`),
      isUnbilled: true,
    });
});

test("a final refusal for its size or for a missing permission has the provider's words, without keys", async () => {
  const message = "The prompt is too long for sk-0123456789abcdef";

  expect(await ask(custom, 400, { error: { message, code: "context_length_exceeded" } })).toMatchObject({
    message:
      'The judge\'s provider refused the request: it is too long (HTTP 400, context_length_exceeded): "The prompt is too long for [...]".',
  });
  expect(await ask(custom, 403, { error: { message: "Model m is not enabled in eu-west-1." } })).toMatchObject({
    code: "judge_auth",
    message: expect.stringContaining('(HTTP 403): "Model m is not enabled in eu-west-1.".'),
  });
});

test("an operator's limit of output tokens is the most that is asked for", async () => {
  fake.script({ status: 200, body: completion({}) });
  const client = custom({ baseUrl: fake.url }, { ...surroundings(), dialect: { maxTokens: 900 } });

  await client.complete(question());

  expect(fake.calls[0]?.body).toMatchObject({ max_tokens: 900 });
});

test("a call whose model had begun to answer counts as billed and is not repeated in another form", async () => {
  const error = { code: 400, message: "response_format is not supported", param: "response_format" };

  const begun = await ask(custom, 200, completion({}, { finish_reason: "error", error }));
  const begunCalls = fake.calls.length;
  await ask(custom, 200, { error });

  expect(begun).toMatchObject({ isUnbilled: false, hints: null, tokens: { prompt: 100, completion: 20 } });
  expect(begunCalls).toBe(1);
  expect(fake.calls.length).toBeGreaterThan(1);
});

/** Values of a field that a server does not use. */
const absent: readonly unknown[] = [null, {}, [], "", { message: null, code: 0, details: [] }];

test("optional fields that are null or empty are read as if they were not there", async () => {
  const plain = await ask(custom, 200, completion({}));

  expect(plain).toMatchObject({ kind: "answer", text: "{}" });
  for (const value of absent) {
    const inReply = { error: value, service_tier: value, system_fingerprint: value, warnings: value };
    const inMessage = { refusal: value, tool_calls: value, function_call: value, reasoning: value, audio: value };
    const message = { role: "assistant", content: "{}", ...inMessage };
    const body = completion(inReply, { error: value, logprobs: value, message });

    expect(await ask(custom, 200, body)).toEqual(plain);
  }
});

test("an error that says that there is none is none", async () => {
  const plain = await ask(custom, 200, completion({}));
  const errors = ["null", "None", "", { code: 0, message: "success" }, { code: "0", message: "Success", type: "None" }];

  for (const error of [...errors, { code: 200, message: "OK", param: null }])
    for (const body of [completion({ error }), completion({}, { error })])
      expect(await ask(custom, 200, body)).toEqual(plain);
  for (const error of ["Nothing works", { code: 0, message: "No." }, { code: 1234, message: "success" }])
    expect(await ask(custom, 200, completion({ error }))).toMatchObject({ kind: "failure" });
});

test("a Bedrock block of text whose tool use is null is an answer", async () => {
  const reply = (block: object) => ({
    output: { message: { content: [{ text: "{}", ...block }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 5, outputTokens: 2 },
  });
  const plain = await ask(bedrock, 200, reply({}));

  expect(plain).toMatchObject({ kind: "answer", text: "{}" });
  for (const value of [null, {}]) expect(await ask(bedrock, 200, reply({ toolUse: value }))).toEqual(plain);
});

test("a decision beside an error that is null counts, and its usage is read beside an error", async () => {
  const answers = { answers: [{ name: "done", type: "predicate", probability: 0.9 }], usage: { input_tokens: 7 } };
  const error = { code: 402, message: "No." };

  expect(await ask(openAiDecisions, 200, { ...answers, error: null })).toMatchObject({ probabilities: [0.9] });
  expect(await ask(openAiDecisions, 200, { ...answers, error })).toMatchObject({
    code: "judge_no_credit",
    tokens: { prompt: 7 },
  });
});

/** A stream of chunks as servers send it although none was asked for. */
const streamOf =
  (...chunks: readonly unknown[]) =>
  (response: ServerResponse): void => {
    const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`: ping\n\n${events.join("")}`);
  };
const chunkOf = (delta: unknown, fields: object = {}, choice: object = {}) => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
  ...fields,
});

/** Asks a server whose reply a script writes. */
const askScripted = (script: (response: ServerResponse) => void) => {
  fake.script(script);
  return custom({ key: "sk-0123456789abcdef", baseUrl: fake.url }, surroundings()).complete(question());
};

test("no stream is asked for, and the chunks of one are read like the reply that they make up", async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const plain = await ask(custom, 200, completion({}));
  const request = fake.calls[0]?.body;

  const streamed = await askScripted(
    streamOf(
      chunkOf({ role: "assistant", content: "{" }),
      chunkOf({ content: "}" }, { usage: null }),
      chunkOf({}, { usage: null }, { finish_reason: "stop" }),
      { object: "chat.completion.chunk", choices: [], usage },
    ),
  );

  expect(request).toMatchObject({ stream: false });
  expect(streamed).toEqual(plain);
  expect(await askScripted(streamOf(completion({})))).toEqual(plain);
  expect(await askScripted(streamOf(chunkOf({ content: "{" }, {}, { finish_reason: "length" })))).toMatchObject({
    code: "judge_truncated",
  });
  expect(
    await askScripted(streamOf(chunkOf({ content: "{" }), { error: { code: 429, message: "Slow." } })),
  ).toMatchObject({
    code: "judge_rate_limited",
    isUnbilled: false,
  });
});

test("JSON in the reasoning of a message counts where its content is empty", async () => {
  for (const content of [null, "", "\n"])
    for (const reasoning of [
      { reasoning: "{}" },
      { reasoning_content: "So: {}" },
      { reasoning: null, reasoning_content: "{}" },
    ])
      expect(
        await ask(custom, 200, completion({}, { message: { role: "assistant", content, ...reasoning } })),
      ).toMatchObject({ kind: "answer", text: expect.stringContaining("{}") });
  const message = { role: "assistant", content: "{}", reasoning: '{"draft": 1}' };
  expect(await ask(custom, 200, completion({}, { message }))).toMatchObject({ text: "{}" });
  expect(
    await ask(custom, 200, completion({}, { message: { content: null, reasoning: "I am not sure." } })),
  ).toMatchObject({ code: "judge_malformed" });
});

test("a reply that is no reply of the protocol may wait, and its input may be the cause", async () => {
  for (const body of ["<html>maintenance</html>", "", "ok", "[]", '{"status":"down"}', "data: x\n\n", '{"choices":[]}'])
    expect(await askScripted((response) => void response.writeHead(200).end(body))).toMatchObject({
      code: "judge_unavailable",
      isDoubtful: true,
      isUnbilled: false,
      hints: null,
    });
});

test("what waits has the provider's sentence and code, cut and without keys, accounts and addresses", async () => {
  const limit = {
    type: "tokens",
    code: "rate_limit_exceeded",
    message: "Rate limit reached for m.\nTry again in 20 s",
  };
  const key = "Key sk-0123456789abcdef and sk-ab****yz of arn:aws:iam::123456789012:role/x at https://a.example/?k=1";

  expect(await ask(custom, 429, { error: limit })).toMatchObject({
    message:
      'The judge\'s provider asks to wait (HTTP 429, rate_limit_exceeded): "Rate limit reached for m. Try again in 20 s".',
  });
  expect(await ask(custom, 200, upstream(502, '{"error":{"message":"Out of memory"}}'))).toMatchObject({
    message: expect.stringContaining('(HTTP 200 with error 502): "Out of memory".'),
  });
  expect(await ask(custom, 503, { error: key })).toMatchObject({
    message: expect.stringContaining('"Key [...] and [...] of [...] at [...]".'),
  });
  expect(await ask(custom, 500, { detail: "x y ".repeat(500) })).toMatchObject({
    message: expect.stringMatching(/^.{200,260}$/u),
  });
  for (const status of [400, 401])
    expect(JSON.stringify(await ask(custom, status, { error: { message: "Wordy refusal" } }))).not.toContain("Wordy");
});
