import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../lib/domain/json.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { event } from "../../../support/otlp/otlp-span.ts";
import { sentTrace, shownKeys, spanOfKind, type FrameworkSpan } from "../../../support/otlp/sent-trace.ts";

type Message = readonly [type: string, name: string, fields: JsonObject];

const noise = { additional_kwargs: { refusal: null }, response_metadata: { model_name: "gpt-5" }, id: "run-1" };
const human: Message = ["human", "HumanMessage", { content: "Do I need an umbrella?" }];
const calling: Message = [
  "ai",
  "AIMessage",
  { content: "", tool_calls: [{ name: "get_weather", args: { city: "Paris" }, id: "call_1", type: "tool_call" }] },
];
const serializedMessage: Message = [
  "tool",
  "ToolMessage",
  { content: '{"sky":"sunny"}', tool_call_id: "call_1", status: "success" },
];
const answer: Message = ["ai", "AIMessage", { content: "No." }];

/** Formats in which LangChain serialises a message. */
const forms: Readonly<Record<string, (message: Message) => JsonObject>> = {
  "{type, data}": ([type, , fields]) => ({ type, data: { ...fields, ...noise, type } }),
  "{type, content}": ([type, , fields]) => ({ ...fields, ...noise, type }),
  "{lc, kwargs}": ([type, name, fields]) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", name],
    kwargs: { ...fields, ...noise, type },
  }),
};

const metadata = JSON.stringify({
  plan: "pro",
  thread_id: "th-1",
  user_id: "u-1",
  langgraph_step: 1,
  ls_provider: "openai",
});

describe.each(Object.entries(forms))("a graph with messages in the form %s", (_, form) => {
  const serialised = (...messages: readonly Message[]) => messages.map(form);
  const state = { messages: serialised(human, calling, serializedMessage, answer) };
  const spans: readonly FrameworkSpan[] = [
    {
      name: "agent",
      attributes: {
        "openinference.span.kind": "AGENT",
        "input.value": JSON.stringify({ messages: serialised(human) }),
        "output.value": JSON.stringify(state),
        metadata,
      },
    },
    {
      name: "model",
      in: 0,
      attributes: {
        "openinference.span.kind": "CHAIN",
        "output.value": JSON.stringify([{ graph: null, update: { messages: serialised(calling) }, goto: [] }]),
      },
    },
    {
      name: "ChatOpenAI",
      in: 1,
      attributes: {
        "openinference.span.kind": "LLM",
        "input.value": JSON.stringify({ messages: [serialised(human)] }),
        "output.value": JSON.stringify({ generations: [[{ text: "", message: form(calling) }]] }),
        "llm.invocation_parameters": '{"model":"gpt-5","temperature":0.2}',
      },
    },
    {
      name: "get_weather",
      in: 0,
      attributes: {
        "openinference.span.kind": "TOOL",
        "tool.name": "get_weather",
        "input.value": "Paris",
        "output.value": JSON.stringify(form(serializedMessage)),
      },
    },
  ];
  const trace = sentTrace(spans);

  test("has the user's message as input and its last reply as output, not its state", () => {
    expect(trace).toMatchObject({
      input: [{ role: "user", content: "Do I need an umbrella?" }],
      session_id: "th-1",
      user_id: "u-1",
    });
    expect(trace.output).toEqual([{ role: "assistant", content: "No." }]);
    expect(trace.spans.find(({ name }) => name === "model")?.output).toMatchObject([
      { role: "assistant", tool_calls: [{}] },
    ]);
  });

  test("keeps the original state in the raw attributes", () => {
    const { metadata: rawMetadata } = spanOfKind(trace, "AGENT");

    expect(rawMetadata["otel.attributes"]).toMatchObject({ "output.value": JSON.stringify(state), langgraph_step: 1 });
    expect(trace.spans.flatMap(shownKeys)).toEqual(["plan"]);
  });

  test("has the model named by its invocation parameters", () => {
    const call = { id: "call_1", type: "function", function: { name: "get_weather", arguments: { city: "Paris" } } };

    expect(spanOfKind(trace, "LLM")).toMatchObject({
      model: "gpt-5",
      input: [{ role: "user", content: "Do I need an umbrella?" }],
      output: [{ role: "assistant", tool_calls: [call] }],
    });
  });

  test("has a tool call with the argument names that the model gave", () => {
    expect(toolCalls(trace)).toMatchObject([
      { name: "get_weather", parameters: { city: "Paris" }, result: { sky: "sunny" } },
    ]);
  });

  test("is shown to a judge without LangChain's own fields", () => {
    expect(renderTranscript(trace, 100_000).text).not.toMatch(
      /kwargs|response_metadata|run-1|langgraph|ls_provider|u-1|th-1/u,
    );
  });
});

const wrapped = (value: JsonObject) =>
  JSON.stringify({ ...value, tags: ["x"], metadata: { plan: "pro" }, kwargs: { name: "x" } });

test("OpenLLMetry's workflow has its input from the nested inputs, and its tools have their arguments", () => {
  const form = forms["{lc, kwargs}"] ?? (() => ({}));
  const result = JSON.stringify({ output: form(serializedMessage), kwargs: {} });
  const trace = sentTrace([
    {
      name: "invoke_agent agent",
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.system_instructions": "Be brief." },
    },
    {
      name: "agent.workflow",
      in: 0,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "traceloop.span.kind": "workflow",
        "traceloop.association.properties.thread_id": "th-1",
        "traceloop.association.properties.langgraph_step": "1",
        "traceloop.entity.input": wrapped({ inputs: { messages: [{ role: "user", content: "Rain?" }] } }),
        "traceloop.entity.output": JSON.stringify({ outputs: { messages: [human, answer].map(form) }, kwargs: {} }),
        "gen_ai.task.status": "success",
      },
    },
    {
      name: "execute_tool get_weather",
      in: 1,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.arguments": wrapped({ input_str: "{'city': 'Paris'}", inputs: { city: "Paris" } }),
        "gen_ai.tool.call.result": result,
      },
    },
  ]);

  expect(trace).toMatchObject({
    input: [{ role: "user", content: "Rain?" }],
    output: [{ role: "assistant", content: "No." }],
    session_id: "th-1",
  });
  expect(toolCalls(trace)).toMatchObject([{ parameters: { city: "Paris" }, result: { sky: "sunny" } }]);
  expect(trace.spans.flatMap(shownKeys)).toEqual([]);
});

describe("LangChain.js, as OpenInference records it,", () => {
  const constructor = (name: string, kwargs: JsonObject) => ({
    lc: 1,
    type: "constructor",
    id: ["core", name],
    kwargs,
  });
  const json = JSON.stringify;
  const system = constructor("SystemMessage", { content: [{ type: "text", text: "Be brief." }], ...noise });
  const user = constructor("HumanMessage", { content: "Rain?", ...noise });
  const args = { city: "Paris" };
  const call = constructor("AIMessage", {
    content: "",
    tool_calls: [{ name: "get_weather", args, type: "tool_call", id: "c1" }],
    ...noise,
  });
  const tool = constructor("ToolMessage", { content: "dry", tool_call_id: "c1", metadata: { versions: {} }, ...noise });
  const state = { messages: [user, call], lg_tool_call: { name: "get_weather", args, id: "c1" } };
  const metadata = json({ plan: "pro", langgraph_step: 1, versions: { "@langchain/core": "1.4.0" } });
  const chain = (name: string, input: unknown, output: unknown): FrameworkSpan => ({
    name,
    in: 0,
    attributes: {
      metadata,
      "openinference.span.kind": "CHAIN",
      "input.value": json(input),
      "output.value": json({ output }),
    },
  });
  const trace = sentTrace([
    { name: "agent", attributes: chain("agent", { messages: [{ role: "user", content: "Rain?" }] }, "No.").attributes },
    chain("model_request", { messages: [user] }, [{ lg_name: "Command", update: { messages: [call] }, goto: [] }]),
    chain("RunnableLambda", state, [{ lg_name: "Send", node: "tools", args: state }]),
    chain("tools", state, [{ lg_name: "Command", update: { messages: [tool] }, goto: [] }]),
    chain("search", "Rain?", {
      documents: [constructor("Document", { pageContent: "It is dry." })],
      by: { lc: 1, type: "not_implemented", id: ["core", "Retriever"] },
    }),
    {
      name: "ChatOpenAI",
      in: 1,
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-5",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": "Rain?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get_weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": json(args),
        "input.value": json({ messages: [[system, user]] }),
        "output.value": json({ generations: [[{ text: "", message: call }]] }),
      },
    },
  ]);
  const calling = {
    role: "assistant",
    tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: args } }],
  };
  const spanNamed = (name: string) => trace.spans.find((span) => span.name === name);

  test("has a system prompt from content blocks, and the ids of tool calls", () => {
    expect(spanOfKind(trace, "LLM")).toMatchObject({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Rain?" },
      ],
      output: [calling],
    });
  });

  test("has the messages of commands and of states that are sent on", () => {
    const input = [{ role: "user", content: "Rain?" }, calling];

    expect(spanNamed("model_request")?.output).toEqual([calling]);
    expect(spanNamed("RunnableLambda")).toMatchObject({ input, output: [calling] });
    expect(spanNamed("tools")).toMatchObject({
      input,
      output: [{ role: "tool", tool_call_id: "c1", content: "dry" }],
    });
  });

  test("has the fields of other serialized objects, and keeps the original", () => {
    expect(spanNamed("search")).toMatchObject({
      output: { documents: [{ pageContent: "It is dry." }], by: "Retriever" },
      metadata: { "otel.attributes": { "output.value": expect.stringContaining('"lc":1') } },
    });
  });

  test("is shown to a judge without LangChain's own fields", () => {
    expect(trace.spans.flatMap(shownKeys).filter((key) => key !== "plan")).toEqual([]);
    expect(renderTranscript(trace, 60_000).text).not.toMatch(/constructor|kwargs|lg_|versions|run-1/u);
  });
});

describe("LangSmith's SDK", () => {
  const form = forms["{type, content}"] ?? (() => ({}));
  const programMetadata = {
    "langsmith.metadata.plan": "pro",
    "langsmith.metadata.thread_id": "th-1",
    "langsmith.metadata.ls_method": "x",
  };
  const trace = sentTrace([
    {
      name: "agent",
      attributes: {
        ...programMetadata,
        "langsmith.span.kind": "chain",
        "langsmith.span.tags": "shop, graph:step:1, seq:step:2",
        "langsmith.trace.session_name": "project",
        "gen_ai.operation.name": "chain",
        "gen_ai.prompt": '{"messages":[{"role":"user","content":"Rain?"}]}',
        "gen_ai.completion": JSON.stringify({ messages: [human, answer].map(form) }),
      },
    },
    {
      name: "retriever",
      in: 0,
      attributes: {
        ...programMetadata,
        "langsmith.span.kind": "retriever",
        "gen_ai.operation.name": "embeddings",
        "gen_ai.prompt": '{"query":"Rain?"}',
        "gen_ai.completion": '{"documents":[{"page_content":"It is dry."}]}',
      },
    },
    {
      name: "ChatOpenAI",
      in: 0,
      status: "ERROR",
      attributes: {
        ...programMetadata,
        "langsmith.span.kind": "llm",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.usage.input_tokens": 120,
        "langsmith.metadata.usage_metadata":
          '{"input_token_details":{"cache_read":64},"output_token_details":{"reasoning":16}}',
        "gen_ai.prompt": JSON.stringify({ messages: [[form(human)]] }),
        "gen_ai.completion": "{}",
      },
    },
  ]);

  test("has input, output, session and the program's tags", () => {
    expect(trace).toMatchObject({
      input: [{ role: "user", content: "Rain?" }],
      output: [{ role: "assistant", content: "No." }],
      session_id: "th-1",
      tags: ["shop"],
    });
  });

  test("has a retriever with the kind embedding, although it is none", () => {
    expect(spanOfKind(trace, "RETRIEVER")).toMatchObject({
      output: [{ page_content: "It is dry." }],
      token_usage: null,
    });
  });

  test("has cached and reasoning tokens, and no output for a failed call", () => {
    expect(spanOfKind(trace, "LLM")).toMatchObject({
      output: null,
      token_usage: { prompt_tokens: 120, cache_read_tokens: 64, reasoning_tokens: 16 },
    });
  });

  test("shows only the program's own metadata", () => {
    expect(trace.spans.map(shownKeys)).toEqual([["plan"], ["plan"], ["plan"]]);
  });

  test("fails with an exception, beside which the SDK sets the status OK; other spans with one keep their status", () => {
    const exception = event("exception", { "exception.type": "Error", "exception.message": "upstream 503" });
    const span = { name: "bad", status: "OK", events: [exception] } as const;

    const failed = sentTrace([{ ...span, attributes: { "langsmith.span.kind": "tool" } }]);
    const handled = sentTrace([{ ...span, attributes: { "gen_ai.operation.name": "execute_tool" } }]);

    expect(failed.status).toBe("ERROR");
    expect(failed.spans).toMatchObject([{ status: "ERROR", error: "Error: upstream 503" }]);
    expect(handled.spans).toMatchObject([{ status: "OK", error: null }]);
  });
});
