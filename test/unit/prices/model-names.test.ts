import { expect, test } from "vitest";
import { pricesAt } from "../../../lib/domain/traces/model-price.ts";
import { priceOf } from "../../../lib/prices/judge-prices.ts";
import { tracePrices } from "../../../lib/prices/trace-prices.ts";

const listedPrice = tracePrices([]);
const priceIn = (model: string, host: string | null = null) => {
  const price = listedPrice(model, host);
  const prices = price === undefined ? null : pricesAt(price, "2026-11-21T12:00:00+00:00", 0);
  return prices === null ? null : [prices.input, prices.output];
};

const sonnetRegional = [3.3, 16.5];
const profile = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

test.each<readonly [name: string, price: readonly number[] | null]>([
  // Gateways and Azure.
  ["azure/gpt-4o-2024-08-06", [2.5, 10]],
  ["azure/gpt-4.1", [2, 8]],
  ["azure_ai/gpt-4o", [2.5, 10]],
  ["azure/global-standard/gpt-4o-mini", [0.15, 0.6]],
  ["azure/responses/gpt-5", [1.25, 10]],
  ["azure/gpt5_series/gpt-5-mini", [0.25, 2]],
  ["azure_openai:gpt-4o", [2.5, 10]],
  ["azure_ai/claude-sonnet-4-5", [3, 15]],
  ["claude-sonnet-4-5 [1m]", [3, 15]],
  ["global.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", [3, 15]],
  ["azure_ai/deepseek-r1", null],
  ["azure_ai/mistral-large-2411", null],
  ["azure/eu/gpt-4o-2024-08-06", null],
  ["azure/support-bot", null],
  ["litellm_proxy/gpt-4o", [2.5, 10]],
  ["litellm_proxy/azure/gpt-4o-mini", [0.15, 0.6]],
  ["litellm_proxy/anthropic/claude-sonnet-4-5-20250929", [3, 15]],
  ["gateway/openai:gpt-5.4-mini", [0.75, 4.5]],
  ["openrouter/openai/gpt-4o:online", [2.5, 10]],
  ["anthropic/claude-sonnet-4.5:beta", [3, 15]],
  ["openrouter/anthropic/claude-sonnet-4.5:nitro", [3, 15]],
  ["openrouter/qwen/qwen3-32b:nitro", null],
  ["github/gpt-4o", null],
  // OpenAI.
  ["gpt-35-turbo", [0.5, 1.5]],
  ["gpt-35-turbo-16k", [3, 4]],
  ["azure/gpt-35-turbo-1106", [1, 2]],
  ["gpt-4-1-mini", [0.4, 1.6]],
  ["text-completion-openai/gpt-3.5-turbo-instruct", [1.5, 2]],
  ["ft:gpt-4o-mini-2024-07-18:org::id", [0.3, 1.2]],
  ["openai/ft:gpt-4o-2024-08-06:org:name:id:ckpt-step-90", [3.75, 15]],
  ["ft:gpt-3.5-turbo-0125:org::id", null],
  ["ft:gpt-5:org::id", null],
  ["gpt-4o-realtime-preview-2024-12-17", null],
  // Anthropic and Bedrock.
  ["claude-4.5-sonnet", [3, 15]],
  ["claude-3-5-sonnet-v2@20241022", [3, 15]],
  [`arn:aws:bedrock:us-east-1:111122223333:inference-profile/${profile}`, sonnetRegional],
  [`arn%3Aaws%3Abedrock%3Aus-east-1%3A111122223333%3Ainference-profile%2F${profile}`, sonnetRegional],
  ["arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0", [1.1, 5.5]],
  ["arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abc", null],
  ["arn:aws:bedrock:us-east-1:111122223333:provisioned-model/abc", null],
  [`bedrock/us-east-1/${profile}`, sonnetRegional],
  [`bedrock_converse/${profile}`, sonnetRegional],
  ["apac.anthropic.claude-3-5-sonnet-20241022-v2:0", [3, 15]],
  ["us.anthropic.claude-sonnet-4-20250514-v1:0", [3, 15]],
  ["eu.anthropic.claude-opus-4-1-20250805-v1:0", [15, 75]],
  ["eu.anthropic.claude-opus-4-5-20251101-v1:0", [5.5, 27.5]],
  ["mistral.mistral-large-2402-v1:0", [4, 12]],
  ["bedrock/mistral.mistral-7b-instruct-v0:2", [0.15, 0.2]],
  ["us.mistral.pixtral-large-2502-v1:0", [2, 6]],
  ["mistral.mistral-large-2407-v1:0", null],
  ["amazon.nova-lite-v1:0:300k", [0.06, 0.24]],
  // Google.
  ["gemini-2.5-pro-preview-06-05", [1.25, 10]],
  ["google/gemini-2.5-flash-lite-preview-06-17", [0.1, 0.4]],
  ["gemini-3-pro-preview-11-2025", [2, 12]],
  ["gemini-2.5-flash-preview-05-20", [0.15, 0.6]],
  ["gemini-2.5-pro-exp-03-25", null],
  ["gemini-2.5-flash-preview-tts", null],
  ["projects/p/locations/us/publishers/google/models/gemini-2.5-pro", [1.25, 10]],
  ["//aiplatform.googleapis.com/projects/p/locations/eu/publishers/google/models/gemini-2.5-flash@001", [0.3, 2.5]],
  ["projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929", sonnetRegional],
  ["projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929", [3, 15]],
  ["projects/p/locations/us/endpoints/123", null],
  ["vertex_ai/google/gemini-2.5-pro@default", [1.25, 10]],
  // Others.
  ["deepseek-chat", null],
  ["deepseek/deepseek-chat", null],
])("the price of %j is %j", (name, price) => {
  expect(priceIn(name)).toEqual(price);
});

test("a judge's model is found by the same spellings as a trace's", () => {
  const inputOf = (model: string) => priceOf(model, new Map())?.input ?? null;

  expect(inputOf("openai/gpt-4-1-mini")).toBe(0.4);
  expect(inputOf("openai/ft:gpt-4o-mini-2024-07-18:org::id")).toBe(0.3);
  expect(inputOf("gemini/gemini-2.5-pro-preview-06-05")).toBe(1.25);
  expect(inputOf("vertex_ai/publishers/google/models/gemini-2.5-pro")).toBe(1.25);
  expect(inputOf(`bedrock/arn:aws:bedrock:us-east-1:111122223333:inference-profile/${profile}`)).toBeCloseTo(3.3);
  expect(inputOf("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0")).toBe(3);
  expect(inputOf("openrouter/openai/gpt-4o:online")).toBe(2.5);
});

test("a host that the span names decides the price of open weights in any spelling", () => {
  expect(priceIn("litellm_proxy/llama-3.3-70b-versatile", "groq")).toEqual([0.59, 0.79]);
  expect(priceIn("openai/gpt-oss-120b:thinking", "openrouter")).toEqual([0.039, 0.18]);
  expect(priceIn("azure_ai/gpt-4o", "other")).toEqual([2.5, 10]);
});
