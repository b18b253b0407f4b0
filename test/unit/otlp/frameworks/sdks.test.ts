import { describe, expect, test } from "vitest";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { withoutBinaryData } from "../../../../lib/judge/transcript/binary.ts";
import { toolCalls } from "../../../../lib/metrics/trace/tool-calls.ts";
import { storedSpan } from "../../../support/otlp/otlp-span.ts";
import { sentTrace, shownKeys, spanOfKind } from "../../../support/otlp/sent-trace.ts";

const json = (value: unknown): string => JSON.stringify(value);
const call = { id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } };
const calling = { id: "c1", type: "function", function: { name: "get_weather", arguments: { city: "Paris" } } };
const question = { role: "user", content: "Do I need an umbrella?" };

test("MLflow's spans are read without their quotation marks", () => {
  const trace = sentTrace([
    {
      name: "agent",
      attributes: {
        "mlflow.spanType": '"AGENT"',
        "mlflow.spanInputs": '{"question":"Rain?"}',
        "mlflow.spanOutputs": '"No."',
        "mlflow.trace.session": '"s-1"',
        "mlflow.trace.user": '"u-1"',
        "mlflow.spanLogLevel": 20,
      },
    },
    {
      name: "Completions",
      in: 0,
      attributes: {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": json({
          model: "gpt-5",
          messages: [question],
          tools: [{ type: "function" }],
          temperature: 0.2,
        }),
        "mlflow.spanOutputs": json({
          id: "x",
          choices: [
            {
              index: 0,
              finish_reason: "tool_calls",
              message: { role: "assistant", content: null, tool_calls: [call] },
            },
          ],
        }),
        "mlflow.llm.model": '"gpt-5-2026"',
        "mlflow.chat.tokenUsage":
          '{"input_tokens":120,"output_tokens":40,"total_tokens":160,"cache_read_input_tokens":64}',
        model: '"gpt-5"',
        temperature: "0.2",
      },
    },
    {
      name: "get_weather",
      in: 0,
      attributes: {
        "mlflow.spanType": '"TOOL"',
        "mlflow.spanInputs": '{"city":"Paris"}',
        "mlflow.spanOutputs": json('{"sky":"sunny"}'),
      },
    },
  ]);

  expect(trace).toMatchObject({ input: { question: "Rain?" }, output: "No.", session_id: "s-1", user_id: "u-1" });
  expect(spanOfKind(trace, "LLM")).toMatchObject({
    model: "gpt-5-2026",
    input: [question],
    output: [{ role: "assistant", tool_calls: [calling] }],
    model_parameters: { temperature: 0.2, tools: [{ type: "function" }] },
    token_usage: { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160, cache_read_tokens: 64 },
  });
  expect(toolCalls(trace)).toMatchObject([{ parameters: { city: "Paris" }, result: { sky: "sunny" } }]);
  expect(trace.spans.flatMap(shownKeys)).toEqual([]);
});

describe("Logfire's instrumentation of the OpenAI Agents SDK", () => {
  const scope = "logfire.openai_agents";
  const events = [
    { "event.name": "gen_ai.system.message", role: "system", content: "Be brief." },
    { "event.name": "gen_ai.user.message", ...question },
    {
      "event.name": "gen_ai.unknown",
      role: "assistant",
      content: "reasoning\n\nSee JSON for details",
      data: { type: "reasoning", summary: [{ text: "It is dry." }] },
    },
    { "event.name": "gen_ai.assistant.message", role: "assistant", content: "No." },
  ];
  const message = (template: string, text: string) => ({
    "logfire.msg_template": template,
    "logfire.msg": text,
    "logfire.span_type": "span",
    "code.lineno": 5,
  });
  const trace = sentTrace([
    {
      name: "OpenAI Agents trace: {name}",
      scope,
      attributes: {
        ...message("OpenAI Agents trace: {name}", "OpenAI Agents trace: Umbrella"),
        name: "Umbrella",
        group_id: "g-1",
        metadata: '{"user_id":"u-1","plan":"pro"}',
        tracing: "null",
      },
    },
    {
      name: "Agent run: {name!r}",
      scope,
      in: 0,
      attributes: { ...message("Agent run: {name!r}", "Agent run: 'Weather'"), name: "Weather", output_type: "str" },
    },
    {
      name: "Responses API with {gen_ai.request.model!r}",
      scope,
      in: 1,
      attributes: {
        ...message("Responses API with {gen_ai.request.model!r}", "Responses API with 'gpt-5'"),
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.raw":
          '{"input_tokens":120,"input_tokens_details":{"cached_tokens":64},"output_tokens_details":{"reasoning_tokens":16}}',
        events: json(events),
        raw_input: "[]",
        response: "{}",
      },
    },
    {
      name: "Function: {name}",
      scope,
      in: 1,
      status: "ERROR",
      attributes: {
        ...message("Function: {name}", "Function: get_weather failed"),
        name: "get_weather",
        input: '{"city":"Paris"}',
        output: "Try again.",
        error: '{"message":"Error running tool","data":{"tool_name":"get_weather","error":"No answer."}}',
      },
    },
  ]);

  test("by chat completions has the reply apart from the request that repeats it", () => {
    const answer = { role: "assistant", content: "Sunny." };
    const attributes = {
      ...message("Chat completion with {gen_ai.request.model!r}", "Chat completion with 'gpt-5-mini'"),
      input: json([question]),
      output: json([answer]),
      request_data: json({ messages: [question, answer], model: "gpt-5-mini" }),
      usage: json({ input_tokens: 120, output_tokens: 40, input_tokens_details: { cached_tokens: 64 } }),
    };
    const call = sentTrace([{ name: "Chat completion", scope, attributes }]);

    expect(call.spans).toMatchObject([
      {
        kind: "LLM",
        input: [question],
        output: [answer],
        token_usage: { prompt_tokens: 120, completion_tokens: 40, cache_read_tokens: 64 },
      },
    ]);
  });

  test("is a trace with its message as name, a session and a user", () => {
    expect(trace).toMatchObject({
      name: "OpenAI Agents trace: Umbrella",
      input: [{ role: "system", content: "Be brief." }, question],
      output: [{ role: "assistant", reasoning: "It is dry.", content: "No." }],
      session_id: "g-1",
      user_id: "u-1",
    });
  });

  test("without a group has no session", () => {
    const attributes = { ...message("OpenAI Agents trace: {name}", "OpenAI Agents trace: Umbrella"), group_id: "null" };

    expect(sentTrace([{ name: "OpenAI Agents trace: {name}", scope, attributes }]).session_id).toBeNull();
  });

  test("has an agent, a model call and a tool", () => {
    expect(spanOfKind(trace, "AGENT")).toMatchObject({ name: "Weather" });
    expect(spanOfKind(trace, "LLM")).toMatchObject({
      token_usage: { prompt_tokens: 120, cache_read_tokens: 64, reasoning_tokens: 16 },
    });
    expect(toolCalls(trace)).toMatchObject([
      {
        name: "get_weather",
        parameters: { city: "Paris" },
        result: "Try again.",
        error: "Error running tool: No answer.",
      },
    ]);
  });

  test("shows only the program's own metadata and the error", () => {
    expect(trace.spans.flatMap(shownKeys)).toEqual(["plan", "error"]);
  });
});

test("attributes named like Logfire's are kept where another library wrote them", () => {
  expect(shownKeys(storedSpan({ name: "Ann", type: "vip", turn: 2, events: "[]x" })).toSorted()).toEqual([
    "events",
    "name",
    "turn",
    "type",
  ]);
});

test("LiteLLM's calls are read beside a message without content, with their costs and their user", () => {
  const span = storedSpan(
    {
      "gen_ai.operation.name": "chat",
      "gen_ai.output.messages": '[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]',
      "gen_ai.completion.0.function_call.name": "get_weather",
      "gen_ai.completion.0.function_call.arguments": '{"city":"Paris"}',
      "gen_ai.cost.total_cost": 0.25,
      "gen_ai.cost.margin_percent": 0,
      "metadata.user_api_key_alias": "",
      "metadata.usage_object": "{'prompt_tokens_details': {'cached_tokens': 64}, 'reasoning_tokens': 16}",
      "llm.user": "u-1",
      "litellm.call_id": "1",
      hidden_params: "{}",
    },
    {},
  );

  expect(span).toMatchObject({
    output: [{ role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: { city: "Paris" } } }] }],
    cost: { total: 0.25 },
    token_usage: { cache_read_tokens: 64, reasoning_tokens: 16 },
  });
  expect(span.metadata["otel.user_id"]).toBe("u-1");
  expect(shownKeys(span)).toEqual([]);
});

test("parts without content, which OpenInference sends for Anthropic, are no part of a message", () => {
  const span = storedSpan({
    "openinference.span.kind": "LLM",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.contents.0.message_content.type": "text",
    "llm.output_messages.0.message.contents.0.message_content.text": "Let me look.",
    "llm.output_messages.0.message.contents.1.message_content.type": "tool_use",
    "llm.output_messages.0.message.contents.1.tool_call.function.name": "get_weather",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get_weather",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city":"Paris"}',
    "gen_ai.usage.cache_write.input_tokens": 10,
  });

  expect(span.output).toEqual([{ role: "assistant", content: "Let me look.", tool_calls: [calling] }]);
  expect(span.token_usage).toEqual({ cache_write_tokens: 10 });
});

test("the role \"model\" is read as the assistant's, and Gemini's parts are read", () => {
  const span = storedSpan({
    "gen_ai.operation.name": "chat",
    "gen_ai.output.messages": json([
      {
        role: "model",
        parts: [{ text: "Let me look." }, { functionCall: { name: "get_weather", args: { city: "Paris" } } }],
      },
    ]),
  });

  expect(span.output).toMatchObject([
    { role: "assistant", content: "Let me look.", tool_calls: [{ function: { name: "get_weather" } }] },
  ]);
});

test("the metadata of documents is data, and a prompt is a step of kind CHAIN", () => {
  const retrieval = storedSpan({
    "openinference.span.kind": "RETRIEVER",
    "retrieval.documents.0.document.content": "Order 7",
    "retrieval.documents.0.document.metadata": '{"source":"a.txt"}',
  });

  expect(retrieval.output).toEqual([{ content: "Order 7", metadata: { source: "a.txt" } }]);
  expect(storedSpan({ "openinference.span.kind": "PROMPT" }).kind).toBe("CHAIN");
});

describe("an embedding of 20 texts", () => {
  const vector = Array.from({ length: 1536 }, (_, index) => Math.sin(index));
  const texts = Array.from({ length: 20 }, (_, index) => `chunk ${index}`);
  const response = json({ data: texts.map((_, index) => ({ index, embedding: vector })) });
  const attributes = Object.fromEntries(
    texts.flatMap((text, index) => [
      [`embedding.embeddings.${index}.embedding.text`, text],
      [`embedding.embeddings.${index}.embedding.vector`, json(vector)],
    ]),
  );
  const trace = sentTrace([
    {
      name: "embed",
      attributes: {
        ...attributes,
        "openinference.span.kind": "EMBEDDING",
        "input.value": json({ model: "small", input: texts }),
        "output.value": response,
      },
    },
  ]);
  const span = spanOfKind(trace, "EMBEDDING");

  test("has the texts as its input and the number of vectors as its output", () => {
    expect(span).toMatchObject({ input: texts, output: "20 vectors of 1536" });
  });

  test("stores the vectors once", () => {
    const storedText = json(span);

    expect(storedText.split(String(Math.sin(1))).length - 1).toBe(20);
    expect(span.metadata["otel.attributes"]).toMatchObject({
      "output.value": { data: expect.arrayContaining([{ index: 3, embedding: "[vector of 1536]" }]) as unknown },
    });
  });

  test("shows a judge no vector, but all other values", () => {
    const { text, coverage } = renderTranscript(withoutBinaryData(trace), 60_000);

    expect(text).not.toMatch(/0\.\d{5}/u);
    expect(text).toContain("chunk 19");
    expect(coverage.ratio).toBe(1);
  });
});

test("embedding vectors in attributes of no convention are counted, and stored once", () => {
  const numbers = Array.from({ length: 64 }, (_, index) => index + 0.5);
  const span = storedSpan({
    "langfuse.observation.type": "embedding",
    "langfuse.observation.input": '{"model":"small","input":["Hi"]}',
    "langfuse.observation.output": json({ data: [{ embedding: numbers }] }),
  });

  expect(span).toMatchObject({ input: ["Hi"], output: "1 vector of 64", model_parameters: { model: "small" } });
  expect(span.metadata["otel.attributes"]).toMatchObject({
    "langfuse.observation.output": json({ data: [{ embedding: numbers }] }),
  });
});

test("the root that OpenInference ends with OK for each run of OpenAI's agents fails with its last agent", () => {
  const scope = "openinference.instrumentation.openai_agents";
  const agent = { "openinference.span.kind": "AGENT" };
  const statusOf = (scopeOfRoot: string) =>
    sentTrace([
      { name: "Agent workflow", scope: scopeOfRoot, status: "OK", attributes: agent },
      { name: "weather", scope, status: "ERROR", in: 0, attributes: agent },
    ]).status;

  expect([statusOf(scope), statusOf("other")]).toEqual(["ERROR", "COMPLETED"]);
});
