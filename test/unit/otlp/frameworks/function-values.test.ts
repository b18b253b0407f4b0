import { describe, expect, test } from "vitest";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { recordedRequest, tracesIn } from "../../../support/otlp/otlp-fixtures.ts";
import { spanOfKind, sentTrace } from "../../../support/otlp/sent-trace.ts";
import { storedSpan } from "../../../support/otlp/otlp-span.ts";

const answer = "It is 18 degrees and sunny in Paris, so no umbrella is needed.";
const reply = { role: "assistant", content: answer };
const question = { role: "user", content: "Do I need an umbrella in Paris?" };
const weather = { city: "Paris", temp_c: 18, sky: "sunny" };
const system = { role: "system", content: "You are a helpful assistant." };
const getWeather = { name: "get_weather", parameters: { city: "Paris" }, result: weather };

// Programs whose instrumentation records Python objects, or settings beside the content.
test.each([
  ["crewai_oi.0012", { city: "Paris" }, answer, [getWeather]],
  ["adk_oi.0014", [question], [reply], [{ name: "find_city" }, getWeather]],
  [
    "llamaindex_oi.0002",
    [system, question],
    [reply],
    [{ name: "find_city", parameters: { place: "Paris" } }, getWeather],
  ],
  [
    "openlit3.00263._v1_traces",
    question.content,
    answer,
    [{ name: "find_city" }, { name: "get_weather", parameters: { city: "Paris" } }],
  ],
] as const)("the run recorded in %s has its question, its answer and its tool calls", (file, input, output, calls) => {
  const [trace] = tracesIn(recordedRequest(`frameworks/${file}.pb.gz`));

  expect(trace).toMatchObject({ input, output });
  expect(trace === undefined ? null : toolCalls(trace)).toMatchObject(calls);
});

test("an agent of CrewAI has the messages of its task as input", () => {
  const [trace] = tracesIn(recordedRequest("frameworks/crewai_oi.0012.pb.gz"));
  const expert = trace?.spans.find(({ name }) => name.startsWith("Weather expert"));

  expect(expert).toMatchObject({
    input: [{ role: "system" }, { role: "user" }, { role: "assistant" }, { role: "tool" }],
  });
  expect(expert?.metadata["otel.attributes"]).toHaveProperty(["input.value"]);
});

describe("an agent of smolagents", () => {
  const scope = "openinference.instrumentation.smolagents";
  const run = { stream: false, reset: true, images: null, max_steps: null, return_full_result: null };
  const inputs = (input: object, kind: string) =>
    sentTrace([
      { name: "run", scope, attributes: { "openinference.span.kind": kind, "input.value": JSON.stringify(input) } },
    ]).spans[0]?.input;

  test("has the task as input, and what else it was sent beside it", () => {
    expect(inputs({ task: "Rain?", ...run, additional_args: null }, "AGENT")).toBe("Rain?");
    expect(inputs({ task: "Rain?", ...run, additional_args: { city: "Paris" } }, "AGENT")).toEqual({
      task: "Rain?",
      additional_args: { city: "Paris" },
    });
  });

  test("has tool calls with their arguments, and steps without input", () => {
    expect(inputs({ args: [], sanitize_inputs_outputs: true, kwargs: { city: "Paris" } }, "TOOL")).toEqual({
      city: "Paris",
    });
    expect(inputs({ memory_step: "ActionStep(step_number=1)" }, "CHAIN")).toBeNull();
  });
});

describe("a chat of OpenLIT", () => {
  const [trace] = tracesIn(recordedRequest("frameworks/openlit3.00263._v1_traces.pb.gz"));
  const [first, second] = (trace?.spans ?? [])
    .filter(({ kind }) => kind === "LLM")
    .toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));

  test("has the messages that were sent as one text, and the tool call", () => {
    const calls = [
      { id: "call_374_0", type: "function", function: { name: "find_city", arguments: { place: "Paris" } } },
    ];

    expect(first).toMatchObject({ input: [system, question], output: [{ role: "assistant", tool_calls: calls }] });
    expect(second?.input).toEqual([
      system,
      question,
      { role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "call_374_0", content: { city: "Paris", country: "FR" } },
    ]);
  });

  test("has no cost where the instrumentation knows no price", () => {
    expect(first?.cost).toBeNull();
    expect(first?.metadata["otel.cost"]).toEqual({ total: 0 });
    expect(storedSpan({ "gen_ai.operation.name": "chat", "gen_ai.usage.cost": 0.2 }).cost).toEqual({ total: 0.2 });
  });

  test("is within the traced function, which has its arguments", () => {
    expect(trace === undefined ? null : spanOfKind(trace, "CHAIN")).toMatchObject({
      name: "weather_agent",
      output: answer,
    });
  });
});

test("a tool of DSPy has its arguments and its result without their wrappers, and a program has its question", () => {
  const scope = "openinference.instrumentation.dspy";
  const json = { "input.mime_type": "application/json", "output.mime_type": "application/json" };
  const call = { ...json, "input.value": '{"kwargs": {"city": "Paris"}}', "output.value": '"18 C sunny"' };
  const trace = sentTrace([
    {
      name: "ReAct.forward",
      scope,
      attributes: {
        ...json,
        "openinference.span.kind": "CHAIN",
        "input.value": '{"input_args": {"question": "Rain?"}}',
      },
    },
    { name: "get_weather.__call__", scope, in: 0, attributes: { ...call, "openinference.span.kind": "TOOL" } },
  ]);

  expect(trace.input).toEqual({ question: "Rain?" });
  expect(spanOfKind(trace, "TOOL")).toMatchObject({ input: { city: "Paris" }, output: "18 C sunny" });
});

test("a private method of LlamaIndex is no model call", () => {
  const [trace] = tracesIn(recordedRequest("frameworks/llamaindex_oi.0002.pb.gz"));
  const spans = trace?.spans.filter(({ name }) => name.endsWith("._prepare_chat_with_tools")) ?? [];

  expect(spans.map(({ kind }) => kind)).toEqual(["CHAIN", "CHAIN"]);
});

test("an agent of Haystack has the messages whose Python texts are recorded", () => {
  const message = (role: string, parts: string) =>
    `ChatMessage(_role=<ChatRole.${role.toUpperCase()}: '${role}'>, _content=[${parts}], _name=None, _meta={'at': (1, 2,)})`;
  const call = "ToolCall(tool_name='get_weather', arguments={'city': 'Paris'}, id='call_1', extra=None)";
  const questionText = message("user", "TextContent(text='Is it \\'wet\\' (or <a: dry)?')");
  const replyText = message(
    "assistant",
    `ReasoningContent(reasoning_text='Sunny.', extra={}), TextContent(text="No.")`,
  );
  const messages = [
    questionText,
    message("assistant", call),
    message("tool", `ToolCallResult(result='sunny', origin=${call}, error=False)`),
  ];
  const spans = [
    { messages, output: { messages: [...messages, replyText], last_message: replyText } },
    { messages: [questionText, "Message(role=<Role.USER: 1>"], output: { replies: [replyText] } },
  ].map(({ output, ...input }) => ({
    name: "run",
    scope: "openinference.instrumentation.haystack",
    attributes: {
      "openinference.span.kind": "CHAIN",
      "input.value": JSON.stringify(input),
      "output.value": JSON.stringify(output),
    },
  }));
  const [agent, unreadable] = sentTrace(spans).spans;

  expect(agent?.input).toEqual([
    { role: "user", content: "Is it 'wet' (or <a: dry)?" },
    {
      role: "assistant",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: { city: "Paris" } } }],
    },
    { role: "tool", tool_call_id: "call_1", name: "get_weather", content: "sunny" },
  ]);
  expect(agent?.output).toEqual([{ role: "assistant", content: "No.", reasoning: "Sunny." }]);
  expect(unreadable?.input).toEqual({ messages: [questionText, "Message(role=<Role.USER: 1>"] });
  expect(unreadable?.output).toEqual(agent?.output);
});
