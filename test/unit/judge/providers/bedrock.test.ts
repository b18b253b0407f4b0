import { SSMClient } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bedrock } from "../../../../lib/judge/providers/bedrock.ts";
import { requestSigner } from "../../../../lib/judge/providers/bedrock.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

const claude = "eu.anthropic.claude-sonnet-5-5-v1:0";
const nova = "eu.amazon.nova-pro-v1:0";
const converseReply = (content: readonly object[], fields: object = {}) => ({
  status: 200,
  body: {
    output: { message: { role: "assistant", content } },
    stopReason: "end_turn",
    usage: { inputTokens: 10, cacheReadInputTokens: 90, cacheWriteInputTokens: 30, outputTokens: 5, totalTokens: 135 },
    ...fields,
  },
});
const message = converseReply([{ text: "{}" }]).body;

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const access = () => bedrock({ baseUrl: fake.url }, surroundings());
const ask = (model: string) => access().complete(question({ model }));

test("a Claude model is called over Converse, with a cache breakpoint on the transcript and the schema behind it", async () => {
  fake.script(converseReply([{ reasoningContent: { reasoningText: { text: "Hm." } } }, { text: "{}" }]));

  const answer = await ask(claude);

  expect(answer).toEqual({
    kind: "answer",
    text: "{}",
    tokens: { prompt: 130, completion: 5, cached: 90, written: 30 },
  });
  expect(fake.calls[0]).toMatchObject({
    method: "POST",
    path: `/model/${encodeURIComponent(claude)}/converse`,
    headers: {
      authorization: expect.stringMatching(/^AWS4 bedrock eu-west-1 \/model\/eu\.anthropic\.[^ ]+%3A0\/converse \d+$/u),
      "content-type": "application/json",
    },
    body: {
      system: [{ text: "You are a judge." }],
      messages: [
        {
          role: "user",
          content: [
            { text: "RECORD\nthe transcript\nEND" },
            { cachePoint: { type: "default" } },
            { text: expect.stringMatching(/^How well\?\n\n[\s\S]+"required":\["reason","verdict"\]/u) },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 8192, temperature: 0 },
    },
  });
  expect(fake.calls[0]?.body).not.toHaveProperty("toolConfig");
});

test("an inference profile is one path segment", async () => {
  const arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0";
  fake.script({ status: 200, body: message });

  await ask(arn);

  expect(fake.calls[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/converse`);
});

test.each([
  nova,
  "meta.llama4-maverick-17b-instruct-v1:0",
  "mistral.mistral-large-3-675b-instruct",
  "openai.gpt-oss-120b-1:0",
])("%s is offered a tool that has the schema, and the tool call is the answer", async (model) => {
  fake.script(
    converseReply(
      [{ text: "I call it." }, { toolUse: { toolUseId: "t", name: "confidence", input: { verdict: "fully" } } }],
      {
        stopReason: "tool_use",
      },
    ),
  );

  expect(await ask(model)).toMatchObject({ kind: "answer", text: '{"verdict":"fully"}' });

  const { schema } = question();
  expect(fake.calls[0]?.body).toMatchObject({
    messages: [
      { content: model === nova ? [{}, { cachePoint: {} }, { text: "How well?" }] : [{}, { text: "How well?" }] },
    ],
    toolConfig: {
      tools: [{ toolSpec: { name: "confidence", inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: "confidence" } },
    },
  });
});

test("a field that a model refuses is left out at once and in later requests: forced tools, tools, high token limits", async () => {
  const refuses = (text: string) => ({ status: 400, body: { message: text } });
  fake.script(
    refuses(
      "This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.",
    ),
    refuses(
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    ),
    refuses("This model doesn't support tool use."),
    converseReply([{ text: "{}" }]),
  );
  const client = access();
  const model = "meta.llama3-8b-instruct-v1:0";

  expect(await client.complete(question({ model }))).toMatchObject({ kind: "answer" });
  expect(await client.complete(question({ model }))).toMatchObject({ kind: "answer" });

  const bodies = fake.calls.map(({ body }) => body);
  expect(bodies).toHaveLength(5);
  expect(bodies[1]).toMatchObject({ toolConfig: { tools: [{}] } });
  expect(bodies[1]).not.toHaveProperty("toolConfig.toolChoice");
  for (const body of bodies.slice(3)) {
    expect(body).not.toHaveProperty("toolConfig");
    expect(body).toMatchObject({ inferenceConfig: { maxTokens: 4096 } });
  }
});

test.each([
  ["max_tokens", "judge_truncated"],
  ["content_filtered", "judge_refused"],
  ["guardrail_intervened", "judge_refused"],
])("an answer that ended by %s is %s, and its tokens count", async (stopReason, code) => {
  fake.script(converseReply([{ text: "{" }], { stopReason }));

  expect(await ask(nova)).toMatchObject({ kind: "failure", code, tokens: { prompt: 130, completion: 5 } });
});

test.each([
  [400, "judge_bad_request"],
  [403, "judge_auth"],
  [404, "judge_bad_request"],
  [408, "judge_unavailable"],
  [424, "judge_unavailable"],
  [429, "judge_rate_limited"],
  [500, "judge_unavailable"],
  [503, "judge_rate_limited"],
])("an error %i is %s for all kinds of models", async (status, code) => {
  fake.script({ status, body: { message: "User: arn:aws:sts::123456789012:assumed-role/x is not authorized" } });

  const failures = [await ask(claude), await ask("openai.gpt-oss-20b-1:0")];

  expect(failures.map((failure) => failure.kind === "failure" && failure.code)).toEqual([code, code]);
  expect(JSON.stringify(failures)).not.toContain("arn:aws");
});

test("without credentials no call is made, and the error does not count as the provider's", async () => {
  fake.script({ status: 200, body: message });
  const config = new SSMClient({ region: "eu-west-1", credentials: () => Promise.reject(new Error("no role")) });
  const client = bedrock({ baseUrl: fake.url }, surroundings({ sign: requestSigner(config) }));

  const failures = [
    await client.complete(question({ model: claude })),
    await client.complete(question({ model: "openai.gpt-oss-20b-1:0" })),
  ];

  const failure = { code: "judge_unavailable", message: "The credentials of this function could not be had." };
  expect(failures).toMatchObject([failure, failure]);
  expect(fake.calls).toHaveLength(0);
});

test("a request is signed with the function's own credentials, body and path included", async () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" };
  const sign = requestSigner(new SSMClient({ region: "eu-west-1", credentials }));
  const url = new URL("https://bedrock-runtime.us-west-2.amazonaws.com/model/a%3A0/invoke");
  const headers = { "content-type": "application/json" };

  const signed = await sign({ url, headers, body: "{}" }, "bedrock", "us-west-2");
  const otherSignature = await sign({ url, headers, body: "{ }" }, "bedrock", "us-west-2");

  expect(signed).toMatchObject({
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-west-2\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/u,
    ),
    "x-amz-security-token": "session",
  });
  expect(otherSignature["authorization"]).not.toBe(signed["authorization"]);
});

describe("embeddings", () => {
  test("of Titan take a call for each text", async () => {
    fake.script(
      { status: 200, body: { embedding: [1, 0], inputTextTokenCount: 3 } },
      { status: 200, body: { embedding: [1, 0], inputTextTokenCount: 3 } },
    );

    const embedded = await access().embed?.("amazon.titan-embed-text-v2:0")({ texts: ["a", "b"], timeout: 60_000 });

    expect(embedded).toEqual({
      kind: "vectors",
      vectors: [
        [1, 0],
        [1, 0],
      ],
      tokens: 6,
    });
    expect(fake.calls.map(({ body }) => body)).toEqual(
      expect.arrayContaining([{ inputText: "a" }, { inputText: "b" }]),
    );
  });

  test.each([
    ["a list", [[1], [2]]],
    ["a list by type", { float: [[1], [2]] }],
  ])("of Cohere take one call and are returned as %s", async (_form, embeddings) => {
    fake.script({ status: 200, body: { id: "x", embeddings } });

    const embedded = await access().embed?.("cohere.embed-multilingual-v3")({ texts: ["a", "b"], timeout: 60_000 });

    expect(embedded).toEqual({ kind: "vectors", vectors: [[1], [2]], tokens: 0 });
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]?.body).toMatchObject({ texts: ["a", "b"], input_type: "clustering" });
  });

  test("that are refused are classified like any call", async () => {
    fake.script({ status: 403, body: {} });

    const embedded = await access().embed?.("amazon.titan-embed-text-v2:0")({ texts: ["a"], timeout: 60_000 });

    expect(embedded).toMatchObject({ kind: "failure", code: "judge_auth" });
  });
});
