import { expect, test } from "vitest";
import { event, storedSpan } from "../../support/otlp/otlp-span.ts";

test("messages of the earlier GenAI conventions are read, including tool calls", () => {
  const span = storedSpan({
    "llm.request.type": "chat",
    "gen_ai.system": "openai",
    "gen_ai.request.model": "gpt-4o",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Where is it?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c1",
    "gen_ai.completion.0.tool_calls.0.name": "lookup",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"order":7}',
    "llm.request.functions.0.name": "lookup",
    "gen_ai.usage.prompt_tokens": 12,
    "gen_ai.usage.completion_tokens": 3,
    "gen_ai.usage.cache_read_input_tokens": 4,
  });
  const call = { id: "c1", type: "function", function: { name: "lookup", arguments: { order: 7 } } };

  expect(span).toMatchObject({
    kind: "LLM",
    model: "gpt-4o",
    input: [{ role: "user", content: "Where is it?" }],
    output: [{ role: "assistant", tool_calls: [call] }],
    token_usage: { prompt_tokens: 12, completion_tokens: 3, cache_read_tokens: 4 },
    model_parameters: { temperature: 0.5 },
    metadata: { "otel.attributes": { "gen_ai.system": "openai" } },
  });
});

test("messages are read from one event that holds all of them, and from one event for each side", () => {
  const details = event("gen_ai.client.inference.operation.details", {
    "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
    "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]',
  });
  const sides = [
    event("gen_ai.content.prompt", { "gen_ai.prompt": '[{"role":"user","content":"Hi"}]' }),
    event("gen_ai.content.completion", { "gen_ai.completion": '[{"role":"assistant","content":"Hello"}]' }),
  ];
  const expected = { input: [{ role: "user", content: "Hi" }], output: [{ role: "assistant", content: "Hello" }] };

  expect(storedSpan({}, { events: [details] })).toMatchObject(expected);
  expect(storedSpan({}, { events: sides })).toMatchObject(expected);
});

test("Traceloop's workflows and tools are read, with the program's association properties", () => {
  const span = storedSpan({
    "traceloop.span.kind": "tool",
    "traceloop.entity.name": "lookup",
    "traceloop.entity.input": '{"args":[{"order":7}],"kwargs":{}}',
    "traceloop.entity.output": '{"state":"shipped"}',
    "traceloop.association.properties.session_id": "s-1",
    "traceloop.association.properties.plan": "gold",
  });

  expect(span).toMatchObject({ kind: "TOOL", name: "lookup", input: { order: 7 }, output: { state: "shipped" } });
  expect(span.metadata).toMatchObject({ plan: "gold", "otel.session_id": "s-1", "otel.name": "step" });
});

test("the AI SDK's own attributes are read", () => {
  const span = storedSpan({
    "ai.operationId": "ai.streamText.doStream",
    "ai.model.id": "gpt-5",
    "ai.settings.maxRetries": 2,
    "ai.prompt.messages": '[{"role":"user","content":[{"type":"text","text":"Hi"}]}]',
    "ai.prompt.tools": ['{"type":"function","name":"lookup"}'],
    "ai.response.text": "One moment.",
    "ai.response.toolCalls": '[{"toolCallId":"c1","toolName":"lookup","input":"{\\"order\\":7}"}]',
    "ai.usage.inputTokens": 9,
    "ai.usage.outputTokens": 2,
    "ai.usage.cachedInputTokens": 1,
    "ai.usage.reasoningTokens": 1,
    "ai.telemetry.metadata.userId": "u-1",
    "ai.telemetry.metadata.plan": "gold",
    "ai.response.msToFirstChunk": 120.5,
  });
  const call = { id: "c1", type: "function", function: { name: "lookup", arguments: { order: 7 } } };

  expect(span).toMatchObject({
    kind: "LLM",
    model: "gpt-5",
    input: [{ role: "user", content: "Hi" }],
    output: [{ role: "assistant", content: "One moment.", tool_calls: [call] }],
    model_parameters: { maxRetries: 2, tools: [{ type: "function", name: "lookup" }] },
    token_usage: { prompt_tokens: 9, completion_tokens: 2, cache_read_tokens: 1, reasoning_tokens: 1 },
    completion_start_time: "2026-11-21T09:00:00.120000+00:00",
    metadata: { plan: "gold", "otel.user_id": "u-1" },
  });
});

test("OpenInference's retrievals, costs, tags and metadata are read", () => {
  const span = storedSpan({
    "openinference.span.kind": "RETRIEVER",
    "input.value": "orders of 2026",
    "retrieval.documents.0.document.content": "Order 7",
    "retrieval.documents.0.document.score": 0.5,
    "llm.cost.prompt": 0.25,
    "llm.cost.completion": 0.5,
    "tag.tags": ["b", "a"],
    metadata: '{"plan":"gold"}',
  });

  expect(span).toMatchObject({
    kind: "RETRIEVER",
    input: "orders of 2026",
    output: [{ content: "Order 7", score: 0.5 }],
    cost: { prompt: 0.25, completion: 0.5, total: 0.75 },
    metadata: { plan: "gold", "otel.tags": ["b", "a"] },
  });
});

test("where two conventions state the same value the current one wins and the other is kept", () => {
  const span = storedSpan({
    "gen_ai.response.model": "gpt-5-2026-01-01",
    "gen_ai.request.model": "gpt-5",
    "llm.model_name": "gpt-five",
    "gen_ai.usage.input_tokens": 5,
    "llm.token_count.prompt": 6,
  });

  expect(span).toMatchObject({
    kind: "LLM",
    model: "gpt-5-2026-01-01",
    token_usage: { prompt_tokens: 5 },
    metadata: {
      "otel.attributes": { "gen_ai.request.model": "gpt-5", "llm.model_name": "gpt-five", "llm.token_count.prompt": 6 },
    },
  });
});

const calls = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5.4", "gen_ai.usage.input_tokens": 100 };

test.each([
  ["OpenTelemetry", { "openai.response.service_tier": "flex", "openai.request.service_tier": "priority" }, "flex"],
  ["earlier instrumentations", { "gen_ai.openai.response.service_tier": "flex" }, "flex"],
  ["LangSmith", { "gen_ai.response.service_tier": "priority" }, "priority"],
  ["a request without a response", { "openai.request.service_tier": "flex" }, "flex"],
  ["a request that leaves the choice to the provider", { "openai.request.service_tier": "auto" }, undefined],
  [
    "the AI SDK with OpenAI",
    { "ai.response.providerMetadata": '{"openai":{"responseId":"r","serviceTier":"flex"}}' },
    "flex",
  ],
  [
    "the AI SDK with Anthropic",
    { "ai.response.providerMetadata": '{"anthropic":{"usage":{"service_tier":"batch"}}}' },
    "batch",
  ],
  [
    "LangChain in LangSmith",
    { "langsmith.metadata.usage_metadata": '{"input_token_details":{"flex":60,"flex_cache_read":40}}' },
    "flex",
  ],
])("the service tier of %s is part of the usage", (_, attributes, tier) => {
  const usage = storedSpan({ ...calls, ...attributes }).token_usage;

  expect(usage).toMatchObject({ prompt_tokens: 100 });
  expect(usage?.["service_tier"]).toBe(tier);
});

test("token counts of LangChain at a service tier are those of the call", () => {
  const langfuse = storedSpan({
    "langfuse.observation.type": "generation",
    "langfuse.observation.model.name": "gpt-5.4",
    "langfuse.observation.usage_details":
      '{"input":0,"input_flex":60,"input_flex_cache_read":40,"output":0,"output_flex":20,"output_flex_reasoning":10}',
  });
  const langSmith = storedSpan({
    ...calls,
    "langsmith.metadata.usage_metadata":
      '{"input_token_details":{"priority":60,"priority_cache_read":40},"output_token_details":{"priority_reasoning":10}}',
  });
  const counts = { prompt_tokens: 100, cache_read_tokens: 40, reasoning_tokens: 10 };

  expect(langfuse.token_usage).toEqual({ ...counts, completion_tokens: 30, service_tier: "flex" });
  expect(langSmith.token_usage).toEqual({ ...counts, service_tier: "priority" });
});

test.each([
  ["a provider", { "gen_ai.provider.name": "groq" }, "groq"],
  ["a system", { "gen_ai.system": "together_ai" }, "together"],
  ["the AI SDK", { "ai.model.provider": "fireworks.chat" }, "fireworks"],
  ["OpenInference", { "llm.provider": "deepseek" }, "deepseek"],
  ["LangChain", { "langsmith.metadata.ls_provider": "moonshot" }, "moonshotai"],
  ["a server", { "gen_ai.provider.name": "openai", "server.address": "openrouter.ai" }, "openrouter"],
  ["a base URL", { "gen_ai.system": "openai", "gen_ai.openai.api_base": "https://api.z.ai/v1" }, "zai"],
  ["a host without known prices", { "gen_ai.system": "ollama" }, "other"],
  ["a maker of its own models", { "gen_ai.system": "openai", "server.address": "gateway.example.com" }, undefined],
])("the host of a model is read from %s, which stays in the metadata", (_, attributes, host) => {
  const { metadata } = storedSpan({ ...calls, ...attributes });

  expect(metadata["otel.model_host"]).toBe(host);
  expect({ ...metadata, ...(metadata["otel.attributes"] as object) }).toMatchObject(
    "langsmith.metadata.ls_provider" in attributes ? { ls_provider: "moonshot" } : attributes,
  );
});
