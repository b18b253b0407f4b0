import { describe, expect, test } from "vitest";
import { renderTranscript } from "../../../lib/judge/transcript/transcript.ts";
import { toolCalls } from "../../../lib/metrics/trace/tool-calls.ts";
import { recordedRequest, traceIn } from "../../support/otlp/otlp-fixtures.ts";

const instrumented = [
  "openinference-openai.pb",
  "traceloop-openai.pb",
  "opentelemetry-sdk.pb",
  "ai-sdk.pb",
  "ai-sdk-legacy.pb",
];
const question = { role: "user", content: "Where is my order 1042?" };
const answer = { role: "assistant", content: "It left our warehouse and arrives tomorrow." };
const call = { id: "call_1", type: "function", function: { name: "lookup_order" } };

test("the same spans in protobuf and in JSON are the same request", () => {
  const [binary, json] = [recordedRequest("opentelemetry-sdk.pb"), recordedRequest("opentelemetry-sdk.json")];

  expect(traceIn(binary)).toEqual(traceIn(json));
});

describe.each(instrumented)("an agent recorded in %s", (file) => {
  const trace = traceIn(recordedRequest(file));
  const models = trace.spans.filter(({ kind }) => kind === "LLM");

  test("is a trace with the question as input and the answer as output", () => {
    expect(trace).toMatchObject({ status: "COMPLETED", session_id: "chat-7" });
    expect(Array.isArray(trace.output) ? trace.output.at(-1) : trace.output).toMatchObject(answer);
    expect(trace.input).toEqual([{ role: "system", content: "You answer customers of a shop." }, question]);
  });

  test("has a model call that requested a tool", () => {
    const [first] = models;

    expect(models).toHaveLength(2);
    expect(first).toMatchObject({
      output: [{ role: "assistant", tool_calls: [call] }],
      model_parameters: { temperature: 0.2, tools: [{ type: "function" }] },
      token_usage: { prompt_tokens: 60, completion_tokens: 20 },
    });
    expect(first?.model).toMatch(/^gpt-5\.4-mini/);
  });

  test("is shown to a judge without telemetry attributes", () => {
    const { text } = renderTranscript(trace, 100_000);

    expect(text).toContain("user: Where is my order 1042?");
    expect(text).toContain("It left our warehouse and arrives tomorrow.");
    expect(text).not.toMatch(/otel\.|telemetry\.sdk|input\.value|duration|msTo|usage|chatcmpl|operationId/);
  });
});

test.each(instrumented.filter((file) => file !== "traceloop-openai.pb"))(
  "cached and reasoning tokens are told in %s",
  (file) => {
    const first = traceIn(recordedRequest(file)).spans.find(({ kind }) => kind === "LLM");

    expect(first?.token_usage).toMatchObject({ cache_read_tokens: 16, reasoning_tokens: 8 });
  },
);

test("a failed span has the exception with its stack trace", () => {
  const failed = traceIn(recordedRequest("traceloop-openai.pb")).spans.find(({ status }) => status === "ERROR");

  expect(failed).toMatchObject({
    name: "lookup_order",
    error: "TypeError: The order system does not answer.\n    at lookup (shop.ts:12:3)",
  });
  expect(failed?.metadata["otel.events"]).toMatchObject([{ name: "exception" }]);
});

test("an executed tool has its own name", () => {
  expect(toolCalls(traceIn(recordedRequest("opentelemetry-sdk.pb")))).toMatchObject([
    { name: "lookup_order", parameters: { order: 1042 }, result: { state: "shipped" } },
  ]);
});

test("duplicate values are hidden, and unknown attributes keep their names", () => {
  const { spans } = traceIn(recordedRequest("openinference-openai.pb"));

  expect(spans.find(({ kind }) => kind === "LLM")?.metadata).toMatchObject({
    "otel.attributes": { "input.value": expect.stringContaining("messages") as string },
  });
  expect(spans.find(({ parent_span_id: parent }) => parent === null)?.metadata).toMatchObject({
    "shop.branch": "north",
  });
});
