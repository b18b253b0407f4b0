import { expect, test } from "vitest";
import { storedSpan } from "../../support/otlp/otlp-span.ts";

const cached = { prompt_tokens: 1302, completion_tokens: 20, cache_read_tokens: 1290, cache_write_tokens: 12 };
const sides = { "gen_ai.usage.input_tokens": 1302, "gen_ai.usage.output_tokens": 20 };

test.each([
  ["OpenTelemetry", "cache_read.input_tokens", "cache_creation.input_tokens"],
  ["earlier conventions", "cache_read_input_tokens", "cache_creation_input_tokens"],
  ["names of Langfuse", "input_cached_tokens", "input_cache_creation"],
  ["short names", "cache_read_tokens", "cache_write_tokens"],
  ["Sentry", "input_tokens.cached", "input_tokens.cache_write"],
  ["details of any scope", "details.cache_read_input_tokens", "details.cache_creation_input_tokens"],
  ["details by short names", "details.cache_read_tokens", "details.cache_write_tokens"],
])("cached tokens by %s are part of the prompt", (_, read, written) => {
  const cacheCounts = { [`gen_ai.usage.${read}`]: 1290, [`gen_ai.usage.${written}`]: 12 };

  expect(storedSpan({ ...sides, ...cacheCounts }).token_usage).toEqual(cached);
});

const detailsName = "gen_ai.usage.input_token_details";
const details = (text: string) => ({ [detailsName]: text });
const langfuse = (usage: string) => ({ "langfuse.observation.usage_details": usage });
const langSmith = (usage: string) => ({ "langsmith.metadata.usage_metadata": usage });
const liteLlm = (usage: string) => ({ "litellm.call_id": "c", "metadata.usage_object": usage });

test.each<readonly [title: string, attributes: Readonly<Record<string, string | number>>, usage: string]>([
  ["JSON", details('{"cache_read":4,"cache_creation":0,"ephemeral_1h_input_tokens":7}'), "read 4 write 7 write_1h 7"],
  ["a Python dict", details("{'cache_read': 4, 'cache_creation': 8, 'audio': None}"), "read 4 write 8"],
  ["a Python object", details("Details(cached_tokens=3, audio_tokens=None)"), "read 3"],
  ["a Python object with others", details("Details(cached_tokens=3, by=<By.NAME: 'x'>, at=(1, 2,))"), "read 3"],
  ["modalities", { "gen_ai.usage.text.input_tokens": 6, "gen_ai.usage.audio.input_tokens": 4 }, "audio_in 4"],
  [
    "Logfire",
    { "gen_ai.usage.raw": '{"input_tokens":2,"input_tokens_details":{"cached_tokens":6}}' },
    "prompt 2 read 6",
  ],
  [
    "OpenInference",
    { "llm.token_count.prompt_details.audio": 9, "llm.token_count.completion": 2 },
    "answer 2 audio_in 9",
  ],
  ["OpenInference's total alone", { "llm.token_count.total": 50 }, "total 50"],
  ["Traceloop", { "llm.usage.prompt_tokens": 7, "llm.usage.total_tokens": 9 }, "prompt 7 total 9"],
  ["the AI SDK", { "ai.usage.inputTokens": 9, "ai.usage.inputTokenDetails.cacheWriteTokens": 2 }, "prompt 9 write 2"],
  [
    "Anthropic in the AI SDK",
    {
      "ai.usage.inputTokens": 12,
      "ai.usage.cachedInputTokens": 2000,
      "ai.response.providerMetadata":
        '{"anthropic":{"cacheCreationInputTokens":300,"usage":{"input_tokens":12,"cache_read_input_tokens":2000}}}',
    },
    "prompt 12 read 2000 write 300",
  ],
  [
    "OpenAI in the AI SDK 4",
    { "ai.usage.promptTokens": 100, "ai.response.providerMetadata": '{"openai":{"cachedPromptTokens":30}}' },
    "prompt 100 read 30",
  ],
  ["Ollama", langfuse('{"prompt_eval_count":324,"eval_count":20}'), "prompt 324 answer 20"],
  ["llama.cpp", langfuse('{"tokens_evaluated":110,"tokens_predicted":10}'), "prompt 110 answer 10"],
  ["embeddings of the AI SDK", { "ai.usage.tokens": 9 }, "prompt 9"],
  ["Langfuse", langfuse('{"input":25,"cache_read_input_tokens":410,"total":435}'), "prompt 435 total 435 read 410"],
  ["Anthropic in Langfuse", langfuse('{"input_tokens":12,"cache_read_input_tokens":5}'), "prompt 17 read 5"],
  ["LangSmith", langSmith("{'input_tokens': 10, 'input_token_details': {'cache_read': 4}}"), "prompt 10 read 4"],
  ["LiteLLM", liteLlm("Usage(prompt_tokens=9, details=Details(cached_tokens=6))"), "prompt 9 read 6"],
])("token counts of %s are read", (_, attributes, usage) => {
  const names: Readonly<Record<string, string>> = {
    prompt: "prompt_tokens",
    answer: "completion_tokens",
    total: "total_tokens",
    read: "cache_read_tokens",
    write: "cache_write_tokens",
    write_1h: "cache_write_1h_tokens",
    audio_in: "input_audio_tokens",
  };
  const counts = Array.from(usage.matchAll(/(\w+) (\d+)/gu), ([, name = "", count]) => [names[name], Number(count)]);
  const span = storedSpan({ "gen_ai.request.model": "m", "gen_ai.operation.name": "chat", ...attributes });

  expect(span.token_usage).toEqual(Object.fromEntries(counts));
});

test("the service tier in a maker's usage is that of the call", () => {
  const span = storedSpan({ ...sides, ...langfuse('{"input_tokens":12,"service_tier":"batch"}') });

  expect(span.token_usage).toMatchObject({ prompt_tokens: 12, service_tier: "batch" });
});

test("attributes of counts are not stored a second time, those of details and unknown ones are", () => {
  const others = { [detailsName]: "{'cache_read': 4}", "gen_ai.usage.cost_center": "a" };

  expect(storedSpan({ ...sides, ...others }).metadata["otel.attributes"]).toEqual(others);
});

const nestedText = (open: string, close: string): string => `${open.repeat(20_000)}1${close.repeat(20_000)}`;

test.each([
  ["dicts", nestedText("{'a':", "}")],
  ["objects", nestedText("Usage(a=", ")")],
  ["tuples", nestedText("(", ",)")],
])("the usage of a span is kept as a text if it has too deeply nested %s", (_, text) => {
  const attributes = { "langfuse.observation.usage_details": text, "gen_ai.usage.details": text };

  const { token_usage: usage, metadata } = storedSpan({ "gen_ai.usage.input_tokens": 3, ...attributes });

  expect(usage).toEqual({ prompt_tokens: 3 });
  expect(JSON.stringify(metadata)).toContain(text.slice(0, 100));
});

test.each([
  [langfuse('{"input":10,"output":5,"my_widget":7}'), true],
  [langfuse('{"input":10,"output":5,"input_cached_tokens":2,"service_tier":"flex"}'), false],
  [{ "langfuse.observation.cost_details": '{"input":0.1,"output":0.2,"my_widget":0.3}' }, true],
  [{ "langfuse.observation.cost_details": '{"input":0.1,"output":0.2,"total":0.3}' }, false],
  [{ "mlflow.chat.tokenUsage": '{"input_tokens":10,"searches":7}' }, true],
])("counts and amounts that no field has stay with the span: %j", (attributes, stays) => {
  const { metadata } = storedSpan({ "gen_ai.request.model": "m", ...attributes });

  expect(JSON.stringify(metadata?.["otel.attributes"] ?? {}).includes(Object.keys(attributes)[0] ?? "")).toBe(stays);
});

test("the cost of Pydantic AI's spans is that of its own price list", () => {
  const span = storedSpan({ "pydantic_ai.all_messages": "[]", "operation.cost": 0.25, "gen_ai.request.model": "m" });

  expect(span.cost).toEqual({ total: 0.25 });
});
