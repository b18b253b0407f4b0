import { describe, expect, test } from "vitest";
import { renderTranscript } from "../../../lib/judge/transcript/transcript.ts";
import { toolCalls } from "../../../lib/metrics/trace/tool-calls.ts";
import { recordedRequest, traceIn } from "../../support/otlp/otlp-fixtures.ts";

const answer = "It left our warehouse and arrives tomorrow.";

// Programs whose own functions are instrumented: by Traceloop's workflows, agents, tools and tasks, and by OpenInference's.
describe.each([
  ["traceloop-sdk.pb", ["AGENT", "CHAIN", "CHAIN", "LLM", "LLM", "TOOL"]],
  ["openinference-core.pb", ["AGENT", "LLM", "LLM", "RETRIEVER", "TOOL"]],
] as const)("a program with instrumented functions recorded in %s", (file, kinds) => {
  const trace = traceIn(recordedRequest(file));

  test("is a trace with the name, input and output of its outermost function", () => {
    expect(trace).toMatchObject({
      name: "answer_customer",
      status: "COMPLETED",
      input: "Where is my order 1042?",
      output: answer,
      user_id: "customer-12",
    });
  });

  test("has a span of the right kind for each function and model call", () => {
    expect(trace.spans.map(({ kind }) => kind).toSorted()).toEqual([...kinds]);
  });

  test("has a tool call with named arguments and its result", () => {
    expect(toolCalls(trace)).toMatchObject([
      { name: "lookup_order", parameters: { order: 1042 }, result: { state: "shipped", order: 1042 }, error: null },
    ]);
  });

  test("has the program's metadata on every span, under its own name", () => {
    expect(trace.spans.map(({ metadata }) => metadata["branch"])).toEqual(kinds.map(() => "north"));
  });

  test("is shown to a judge without quotation marks around messages", () => {
    const { text } = renderTranscript(trace, 100_000);

    expect(text).toContain(`Trace output:\n ${answer}\n`);
    expect(text).not.toMatch(/otel\.|traceloop\.|mime_type|kwargs/u);
  });
});

test("the session and the tags in OpenInference's context are the trace's", () => {
  expect(traceIn(recordedRequest("openinference-core.pb"))).toMatchObject({
    session_id: "oi-core-1",
    tags: ["beta", "shop"],
  });
});

describe("Traceloop's earlier instrumentation", () => {
  const trace = traceIn(recordedRequest("traceloop-openai-0.14.pb"));
  const [first, second] = trace.spans.filter(({ kind }) => kind === "LLM");

  test("has the messages, the tool call and its definition in numbered attributes", () => {
    const parameters = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] };

    expect(first).toMatchObject({
      input: [{ role: "system" }, { role: "user", content: "Where is my order 1042?" }],
      output: [{ tool_calls: [{ function: { name: "lookup_order", arguments: { order: 1042 } } }] }],
      model_parameters: {
        temperature: 0.2,
        tools: [{ type: "function", function: { name: "lookup_order", parameters } }],
      },
      token_usage: { prompt_tokens: 60, completion_tokens: 20 },
    });
  });

  test("has no content where the model sent none", () => {
    expect(second?.input).toMatchObject([
      {},
      {},
      { role: "assistant" },
      { role: "tool", content: { state: "shipped" } },
    ]);
    expect(JSON.stringify([first?.output, second?.input])).not.toMatch(/"content":(?:""|"null"|null)/u);
  });
});
