import { expect, test } from "vitest";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { sentTrace, shownKeys, spanOfKind, type FrameworkSpan } from "../../../support/otlp/sent-trace.ts";
import { storedSpan } from "../../../support/otlp/otlp-span.ts";

const ofTrace = {
  "user.id": "u-1",
  "session.id": "s-1",
  "langfuse.trace.name": "Umbrella",
  "langfuse.trace.tags": ["x"],
  "langfuse.trace.metadata.plan": '"pro"',
  "langfuse.version": "v7",
};
const observation = (type: string, input: unknown, output: unknown) => ({
  ...ofTrace,
  "langfuse.observation.type": type,
  "langfuse.observation.input": typeof input === "string" ? input : JSON.stringify(input),
  "langfuse.observation.output": typeof output === "string" ? output : JSON.stringify(output),
});
const question = [{ role: "user", content: "Do I need an umbrella?" }];
const tools = [{ type: "function", function: { name: "get_weather" } }];

const spans: readonly FrameworkSpan[] = [
  { name: "agent", attributes: observation("agent", { args: ["Do I need an umbrella?"], kwargs: {} }, "No.") },
  {
    name: "OpenAI-generation",
    in: 0,
    attributes: {
      ...observation("generation", { tools, messages: question }, { role: "assistant", content: "No." }),
      "langfuse.observation.model.name": "gpt-5",
      "langfuse.observation.model.parameters": '{"temperature":0.2}',
      "langfuse.observation.usage_details": JSON.stringify({
        prompt_tokens: 120,
        completion_tokens: 40,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 16 },
      }),
      "langfuse.observation.completion_start_time": '"2026-11-21T09:00:01.500000Z"',
    },
  },
  {
    name: "get_weather",
    in: 0,
    attributes: observation("tool", { args: [], kwargs: { city: "Paris" } }, { sky: "sunny" }),
  },
];

const trace = sentTrace(spans, { "langfuse.environment": "prod", "langfuse.release": "9.9" });

test("a trace of Langfuse's SDK has the name, input, output and user that the SDK sent", () => {
  expect(trace).toMatchObject({
    name: "Umbrella",
    input: "Do I need an umbrella?",
    output: "No.",
    session_id: "s-1",
    user_id: "u-1",
    environment: "prod",
    release: "9.9",
    tags: ["x"],
  });
});

test("a generation of Langfuse's SDK has its model, messages, tools, tokens and time to first token", () => {
  expect(spanOfKind(trace, "LLM")).toMatchObject({
    model: "gpt-5",
    input: question,
    output: [{ role: "assistant", content: "No." }],
    model_parameters: { temperature: 0.2, tools },
    token_usage: { prompt_tokens: 120, completion_tokens: 40, cache_read_tokens: 64, reasoning_tokens: 16 },
    completion_start_time: "2026-11-21T09:00:01.500000+00:00",
  });
});

test("tools that Langfuse observes have the function's arguments", () => {
  expect(toolCalls(trace)).toMatchObject([
    { name: "get_weather", parameters: { city: "Paris" }, result: { sky: "sunny" } },
  ]);
});

test("Langfuse's own attributes are hidden, the program's metadata is not", () => {
  expect(trace.spans.map(shownKeys)).toEqual([["plan"], ["plan"], ["plan"]]);
  expect(trace.spans[0]?.metadata["otel.attributes"]).toMatchObject({ "langfuse.version": "v7" });
});

test("tokens that Langfuse counts separately add up, and costs are the client's", () => {
  const span = storedSpan({
    "langfuse.observation.type": "generation",
    "langfuse.observation.usage_details": '{"input":56,"input_cache_read":64,"output":40,"total":160}',
    "langfuse.observation.cost_details": '{"input":0.001,"output":0.002}',
  });

  expect(span).toMatchObject({
    token_usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160, cache_read_tokens: 64 },
    cost: { total: 0.003, prompt: 0.001, completion: 0.002 },
  });
});

test.each([
  ["ERROR", 2, { status: "ERROR", error: "No answer." }],
  ["ERROR", 0, { status: "ERROR", error: "No answer." }],
  ["ERROR", 1, { status: "OK", error: null, metadata: { "otel.status_message": "No answer." } }],
  ["WARNING", 0, { status: "UNSET", error: null, metadata: { "otel.status_message": "No answer." } }],
])("an observation of level %s with the status code %i has Langfuse's message", (level, code, expected) => {
  const attributes = { "langfuse.observation.level": level, "langfuse.observation.status_message": "No answer." };

  expect(storedSpan(attributes, { status: { code } })).toMatchObject(expected);
});

test("a tool's message of Langfuse's handler for LangChain.js has the role of a tool, not its name", () => {
  const messages = [
    { role: "user", content: "Rain?" },
    { content: "dry", additional_kwargs: {}, role: "get_weather" },
    { content: "none", additional_kwargs: {} },
    { role: "narrator", content: "Exit." },
  ];

  expect(storedSpan(observation("generation", messages, "No.")).input).toEqual([
    { role: "user", content: "Rain?" },
    { role: "tool", name: "get_weather", content: "dry" },
    { role: "tool", content: "none" },
    { role: "narrator", content: "Exit." },
  ]);
});

test.each(["guardrail", "evaluator"])("a Langfuse %s is a step of kind CHAIN", (type) => {
  expect(storedSpan(observation(type, "Rain?", "ok"))).toMatchObject({ kind: "CHAIN", input: "Rain?", output: "ok" });
});
