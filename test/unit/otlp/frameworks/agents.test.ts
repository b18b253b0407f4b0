import { describe, expect, test } from "vitest";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { event, storedSpan } from "../../../support/otlp/otlp-span.ts";
import { sentTrace, shownKeys, spanOfKind } from "../../../support/otlp/sent-trace.ts";

const textMessage = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const json = (value: unknown): string => JSON.stringify(value);
const question = { role: "user", content: "Do I need an umbrella?" };
const instructions = json([{ type: "text", content: "Be brief." }]);

describe("Pydantic AI's agent", () => {
  const agent = (attributes: Record<string, string | number>, status?: "ERROR") =>
    sentTrace([
      {
        name: "invoke_agent agent",
        scope: "pydantic-ai",
        ...(status && { status }),
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "agent",
          "gen_ai.agent.call.id": "1",
          "gen_ai.system_instructions": instructions,
          "gen_ai.aggregated_usage.input_tokens": 360,
          model_name: "gpt-5",
          "logfire.msg": "agent run",
          "logfire.json_schema": "{}",
          ...attributes,
        },
      },
    ]);
  const before = [textMessage("user", "Hi"), textMessage("assistant", "Hello")];
  const run = [textMessage("user", "Do I need an umbrella?"), textMessage("assistant", "No.")];

  test("has all messages but its reply as input, and its instructions are only part of that", () => {
    const trace = agent({ "pydantic_ai.all_messages": json(run), final_result: "No." });

    expect(trace).toMatchObject({ input: [{ role: "system", content: "Be brief." }, question], output: "No." });
    expect(trace.spans.flatMap(shownKeys)).toEqual([]);
  });

  test("that continues a conversation has the messages of this run as output", () => {
    const messages = json([...before, ...run]);

    expect(agent({ "pydantic_ai.all_messages": messages, "pydantic_ai.new_message_index": 2 })).toMatchObject({
      input: [{ role: "system" }, { content: "Hi" }, { content: "Hello" }, question],
      output: [{ role: "assistant", content: "No." }],
    });
  });

  test("that failed has no output, whatever messages came before", () => {
    const allMessages = json([...before, textMessage("user", "Go on")]);
    const failed = agent({ "pydantic_ai.all_messages": allMessages, "pydantic_ai.new_message_index": 2 }, "ERROR");

    expect(failed).toMatchObject({ status: "ERROR", output: null });
    expect(failed.input).toHaveLength(4);
  });
});

test("a root with instructions only takes its input from its child spans", () => {
  const trace = sentTrace([
    {
      name: "agent",
      attributes: { "gen_ai.operation.name": "create_agent", "gen_ai.system_instructions": instructions },
    },
    {
      name: "chat",
      in: 0,
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.input.messages": json([textMessage("user", "Rain?")]) },
    },
  ]);

  expect(trace.input).toEqual([{ role: "user", content: "Rain?" }]);
  expect(spanOfKind(trace, "AGENT")).toMatchObject({
    input: null,
    model_parameters: { system_instructions: "Be brief." },
  });
});

test.each([
  ["ERROR", null],
  ["OK", [{ role: "assistant", content: "Let me look." }]],
] as const)(
  "of a root without output that ended %s, the trace has an output from its child spans",
  (status, output) => {
    const reply = {
      "gen_ai.operation.name": "chat",
      "gen_ai.output.messages": json([textMessage("assistant", "Let me look.")]),
    };
    const trace = sentTrace([
      { name: "agent", attributes: { "gen_ai.operation.name": "invoke_agent" }, status },
      { name: "chat", in: 0, attributes: reply },
    ]);

    expect(trace.output).toEqual(output);
  },
);

describe("Strands' agent", () => {
  const scope = "strands.telemetry.tracer";
  const use = { toolUse: { toolUseId: "c1", name: "get_weather", input: { city: "Paris" } } };
  const result = { toolResult: { toolUseId: "c1", status: "success", content: [{ text: '{"sky":"sunny"}' }] } };
  const trace = sentTrace([
    {
      name: "invoke_agent agent",
      scope,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "agent",
        "session.id": "s-1",
        "user.id": "u-1",
        "langfuse.tags": ["x"],
      },
      events: [
        event("gen_ai.system.message", { content: json([{ text: "Be brief." }]) }),
        event("gen_ai.user.message", { content: json([{ text: "Do I need an umbrella?" }]) }),
        event("gen_ai.choice", { message: "No.\n", finish_reason: "end_turn" }),
      ],
    },
    {
      name: "execute_event_loop_cycle",
      scope,
      in: 0,
      attributes: {
        "gen_ai.operation.name": "execute_event_loop_cycle",
        "event_loop.cycle_id": "1",
        "gen_ai.event.start_time": "now",
      },
      events: [event("gen_ai.choice", { message: json([use]), "tool.result": json([result]) })],
    },
    {
      name: "chat",
      scope,
      in: 1,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.server.time_to_first_token": 181,
        "gen_ai.usage.cache_write_input_tokens": 3,
      },
      events: [
        event("gen_ai.assistant.message", { content: json([use]) }),
        event("gen_ai.tool.message", { content: json([result]) }),
        event("gen_ai.choice", { message: json([{ text: "No." }]), finish_reason: "end_turn" }),
      ],
    },
    {
      name: "execute_tool get_weather",
      scope,
      in: 1,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.status": "success",
      },
      events: [
        event("gen_ai.tool.message", { role: "tool", content: '{"city":"Paris"}', id: "c1" }),
        event("gen_ai.choice", { message: json([{ text: '{"sky":"sunny"}' }]), id: "c1" }),
      ],
    },
  ]);

  test("has input and output from message parts without a type", () => {
    expect(trace).toMatchObject({
      input: [{ role: "system", content: "Be brief." }, question],
      output: [{ role: "assistant", content: "No.\n" }],
      session_id: "s-1",
      user_id: "u-1",
      tags: ["x"],
    });
  });

  test("has cycles of kind CHAIN, and a time to first token in milliseconds", () => {
    expect(spanOfKind(trace, "CHAIN")).toMatchObject({ output: [{ tool_calls: [{ id: "c1" }] }] });
    expect(spanOfKind(trace, "LLM")).toMatchObject({
      completion_start_time: "2026-11-21T09:00:02.181000+00:00",
      token_usage: { cache_write_tokens: 3 },
      input: [
        { tool_calls: [{ function: { name: "get_weather" } }] },
        { role: "tool", tool_call_id: "c1", content: { sky: "sunny" } },
      ],
    });
  });

  test("has tool calls with arguments and results", () => {
    expect(toolCalls(trace)).toMatchObject([{ parameters: { city: "Paris" }, result: { sky: "sunny" } }]);
  });

  test("hides its internal attributes", () => {
    expect(trace.spans.flatMap(shownKeys)).toEqual([]);
  });

  test("in the latest conventions has a message for each of its events", () => {
    const details = (key: string, value: unknown) =>
      event("gen_ai.client.inference.operation.details", { [key]: json(value) });
    const span = storedSpan(
      { "gen_ai.operation.name": "chat" },
      {
        events: [
          details("gen_ai.system_instructions", [{ type: "text", content: "Be brief." }]),
          details("gen_ai.input.messages", [textMessage("user", "Do I need an umbrella?")]),
          details("gen_ai.output.messages", [textMessage("assistant", "No.")]),
        ],
      },
    );

    expect(span).toMatchObject({
      input: [{ role: "system", content: "Be brief." }, question],
      output: [{ role: "assistant", content: "No." }],
    });
  });
});

describe("AutoGen's team", () => {
  const oi = "openinference.instrumentation.autogen_agentchat";
  const agentSpans =
    "id='1' source='user' models_usage=None metadata={} content='Do I need an umbrella?' type='TextMessage'";
  const messages = [
    { source: "user", content: "Do I need an umbrella?", type: "TextMessage" },
    {
      source: "agent",
      content: [{ id: "c1", name: "get_weather", arguments: '{"city":"Paris"}' }],
      type: "ToolCallRequestEvent",
    },
    {
      source: "agent",
      content: [{ call_id: "c1", name: "get_weather", content: '{"sky":"sunny"}', is_error: false }],
      type: "ToolCallExecutionEvent",
    },
    { source: "agent", content: "No.", type: "TextMessage" },
  ];
  const process = { "messaging.operation": "process", recipient_agent_class: "Manager", message: "{}" };
  const trace = sentTrace([
    {
      name: "agent.on_messages_stream",
      scope: oi,
      attributes: {
        "openinference.span.kind": "AGENT",
        "input.value": json({ messages: [agentSpans], cancellation_token: "<object at 0x1>" }),
        "output.value": json({ messages, stop_reason: null }),
      },
    },
    {
      name: "agent.get_weather",
      scope: oi,
      in: 0,
      attributes: {
        "openinference.span.kind": "TOOL",
        "tool.name": "get_weather",
        "input.value": '{"city":"Paris"}',
        "output.value": '{"sky":"sunny"}',
      },
    },
    {
      name: "execute_tool get_weather",
      scope: "autogen-core",
      in: 1,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.id": "c1",
      },
    },
    ...[1, 2, 3, 4].map((number) => ({
      name: `autogen process ${number}`,
      scope: "autogen SingleThreadedAgentRuntime",
      in: 0,
      attributes: process,
    })),
  ]);

  test("has input and output from messages, whichever instrumentation recorded them", () => {
    expect(trace).toMatchObject({ input: [question], output: [{ role: "assistant", name: "agent", content: "No." }] });
  });

  test("has one tool call where two instrumentations record it", () => {
    expect(toolCalls(trace)).toMatchObject([
      { name: "get_weather", parameters: { city: "Paris" }, result: { sky: "sunny" } },
    ]);
    expect(renderTranscript(trace, 100_000).text).toContain('#3 TOOL UNSET in #2, the same call as #2: "get_weather"');
  });

  test("shows the runtime's own spans as one line", () => {
    const { text } = renderTranscript(trace, 100_000);

    expect(text).toContain('[#4-#7 4 spans of OTHER kind that tell nothing: "autogen process 1", ...]');
    expect(text).not.toMatch(/messaging|recipient|cancellation/u);
  });
});
