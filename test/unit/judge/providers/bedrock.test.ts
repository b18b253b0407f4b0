import { SSMClient } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bedrock } from "../../../../lib/judge/providers/bedrock.ts";
import { requestSigner } from "../../../../lib/judge/providers/request-signer.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../asked.ts";

const claude = "eu.anthropic.claude-sonnet-5-5-v1:0";
const message = {
  content: [{ type: "text", text: "{}" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 },
};

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const access = () => bedrock({ baseUrl: fake.url }, surroundings());
const ask = (model: string) => access().complete(question({ model }));

test("a Claude model is invoked with Anthropic's body, signed for the path with the model's name", async () => {
  fake.script({ status: 200, body: message });

  const answer = await ask(claude);

  expect(answer).toEqual({
    kind: "answer",
    text: "{}",
    tokens: { prompt: 100, completion: 5, cached: 90, written: 0 },
  });
  expect(fake.calls[0]).toMatchObject({
    method: "POST",
    path: `/model/${encodeURIComponent(claude)}/invoke`,
    headers: {
      authorization: expect.stringMatching(/^AWS4 bedrock eu-west-1 \/model\/eu\.anthropic\.[^ ]+%3A0\/invoke \d+$/u),
      "content-type": "application/json",
    },
    body: {
      anthropic_version: "bedrock-2023-05-31",
      messages: [{ content: [{ cache_control: { type: "ephemeral" } }, { type: "text" }] }],
    },
  });
  expect(fake.calls[0]?.body).not.toHaveProperty("model");
});

test("an inference profile of a Claude model is one path segment", async () => {
  const arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0";
  fake.script({ status: 200, body: message });

  await ask(arn);

  expect(fake.calls[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/invoke`);
});

test("any other model is asked over the OpenAI-compatible side, signed as well", async () => {
  fake.script({ status: 200, body: { choices: [{ message: { content: "{}" } }], usage: { prompt_tokens: 7 } } });

  const answer = await ask("openai.gpt-oss-120b-1:0");

  expect(answer).toMatchObject({ kind: "answer", tokens: { prompt: 7 } });
  expect(fake.calls[0]).toMatchObject({
    path: "/openai/v1/chat/completions",
    headers: { authorization: expect.stringMatching(/^AWS4 bedrock eu-west-1 \/openai\/v1\/chat\/completions \d+$/u) },
    body: { model: "openai.gpt-oss-120b-1:0", response_format: { json_schema: { strict: true } } },
  });
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
])("an error %i is %s for both kinds of model", async (status, code) => {
  fake.script({ status, body: { message: "User: arn:aws:sts::123456789012:assumed-role/x is not authorized" } });

  const failures = [await ask(claude), await ask("openai.gpt-oss-20b-1:0")];

  expect(failures.map((failure) => failure.kind === "failure" && failure.code)).toEqual([code, code]);
  expect(JSON.stringify(failures)).not.toContain("arn:aws");
});

test("without credentials no call is made, and it is not the provider's fault", async () => {
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
  const other = await sign({ url, headers, body: "{ }" }, "bedrock", "us-west-2");

  expect(signed).toMatchObject({
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-west-2\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/u,
    ),
    "x-amz-security-token": "session",
  });
  expect(other["authorization"]).not.toBe(signed["authorization"]);
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
  ])("of Cohere take one call and come as %s", async (_form, embeddings) => {
    fake.script({ status: 200, body: { id: "x", embeddings } });

    const embedded = await access().embed?.("cohere.embed-multilingual-v3")({ texts: ["a", "b"], timeout: 60_000 });

    expect(embedded).toEqual({ kind: "vectors", vectors: [[1], [2]], tokens: 0 });
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]?.body).toMatchObject({ texts: ["a", "b"], input_type: "clustering" });
  });

  test("that are refused are classed like any call", async () => {
    fake.script({ status: 403, body: {} });

    const embedded = await access().embed?.("amazon.titan-embed-text-v2:0")({ texts: ["a"], timeout: 60_000 });

    expect(embedded).toMatchObject({ kind: "failure", code: "judge_auth" });
  });
});
