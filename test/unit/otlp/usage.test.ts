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
  const details = { [`gen_ai.usage.${read}`]: 1290, [`gen_ai.usage.${written}`]: 12 };

  expect(storedSpan({ ...sides, ...details }).token_usage).toEqual(cached);
});

const inputDetails = "gen_ai.usage.input_token_details";
const usageDetails = "langfuse.observation.usage_details";

test.each<readonly [title: string, attributes: Readonly<Record<string, string | number>>, usage: object]>([
  [
    "JSON",
    { [inputDetails]: '{"cache_read":4,"cache_creation":0,"ephemeral_1h_input_tokens":7}' },
    { cache_read_tokens: 4, cache_write_tokens: 7, cache_write_1h_tokens: 7 },
  ],
  [
    "a Python dict",
    { [inputDetails]: "{'cache_read': 4, 'cache_creation': 8, 'audio': None}" },
    { cache_read_tokens: 4, cache_write_tokens: 8 },
  ],
  ["a Python object", { [inputDetails]: "Details(cached_tokens=3, audio_tokens=None)" }, { cache_read_tokens: 3 }],
  [
    "modalities",
    { "gen_ai.usage.text.input_tokens": 6, "gen_ai.usage.audio.input_tokens": 4 },
    { input_audio_tokens: 4 },
  ],
  [
    "Logfire",
    { "gen_ai.usage.raw": '{"input_tokens":2,"input_tokens_details":{"cached_tokens":6}}' },
    { prompt_tokens: 2, cache_read_tokens: 6 },
  ],
  [
    "OpenInference",
    { "llm.token_count.prompt_details.audio": 9, "llm.token_count.completion_details.audio": 2 },
    { input_audio_tokens: 9, output_audio_tokens: 2 },
  ],
  ["OpenInference's total alone", { "llm.token_count.total": 50 }, { total_tokens: 50 }],
  ["Traceloop", { "llm.usage.prompt_tokens": 7, "llm.usage.total_tokens": 9 }, { prompt_tokens: 7, total_tokens: 9 }],
  [
    "the AI SDK",
    { "ai.usage.inputTokens": 9, "ai.usage.inputTokenDetails.cacheWriteTokens": 2 },
    { prompt_tokens: 9, cache_write_tokens: 2 },
  ],
  ["embeddings of the AI SDK", { "ai.usage.tokens": 9 }, { prompt_tokens: 9 }],
  [
    "Langfuse",
    { [usageDetails]: '{"input":25,"cache_read_input_tokens":410,"total":435}' },
    { prompt_tokens: 435, total_tokens: 435, cache_read_tokens: 410 },
  ],
  [
    "Anthropic in Langfuse",
    { [usageDetails]: '{"input_tokens":12,"cache_read_input_tokens":5,"service_tier":"batch"}' },
    { prompt_tokens: 17, cache_read_tokens: 5, service_tier: "batch" },
  ],
  [
    "LangSmith",
    { "langsmith.metadata.usage_metadata": "{'input_tokens': 10, 'input_token_details': {'cache_read': 4}}" },
    { prompt_tokens: 10, cache_read_tokens: 4 },
  ],
  [
    "LiteLLM",
    { "litellm.call_id": "c", "metadata.usage_object": "Usage(prompt_tokens=9, details=Details(cached_tokens=6))" },
    { prompt_tokens: 9, cache_read_tokens: 6 },
  ],
])("token counts of %s are read", (_, attributes, usage) => {
  expect(
    storedSpan({ "gen_ai.request.model": "m", "gen_ai.operation.name": "chat", ...attributes }).token_usage,
  ).toEqual(usage);
});

test("attributes of counts are not stored a second time, those of details and unknown ones are", () => {
  const others = { [inputDetails]: "{'cache_read': 4}", "gen_ai.usage.cost_center": "a" };

  expect(storedSpan({ ...sides, ...others }).metadata["otel.attributes"]).toEqual(others);
});
