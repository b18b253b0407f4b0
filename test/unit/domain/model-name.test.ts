import { expect, test } from "vitest";
import { modelIdentity } from "../../../lib/domain/model-name.ts";

test.each([
  [
    "gpt-4o",
    [
      "gpt-4o-2024-08-06",
      "azure/gpt-4o",
      "openrouter/openai/gpt-4o:online",
      " GPT-4o",
      "litellm_proxy/azure_ai/gpt-4o",
    ],
  ],
  ["gpt-3.5-turbo", ["gpt-35-turbo", "gpt-3.5-turbo-0125"]],
  ["gpt-4", ["gpt-4-0613", "gpt-4-1106-preview"]],
  [
    "claude-sonnet-4-5",
    [
      "claude-4.5-sonnet",
      "anthropic/claude-sonnet-4.5:beta",
      "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "projects/p/locations/us/publishers/anthropic/models/claude-sonnet-4-5@20250929",
    ],
  ],
  ["claude-3-5-sonnet", ["claude-3.5-sonnet-latest", "anthropic.claude-3-5-sonnet-20241022-v2:0"]],
  ["gemini-2.5-pro", ["gemini-2.5-pro-preview-06-05", "models/gemini-2.5-pro", "google/gemini-2.5-pro@default"]],
  [
    "llama-3.3-70b-instruct",
    ["meta-llama/llama-3.3-70b-instruct:free", "openrouter/meta-llama/Llama-3.3-70B-Instruct"],
  ],
  ["mistral-large", ["mistral.mistral-large-2402-v1:0", "mistral/mistral-large-2411"]],
  ["ft:gpt-4o-mini-2024-07-18:org::id", ["openai/ft:gpt-4o-mini-2024-07-18:org::id"]],
])("%s is one model in all its spellings", (name, spellings) => {
  expect(new Set([name, ...spellings].map(modelIdentity)).size).toBe(1);
});

test.each([
  ["gpt-4o", "gpt-4o-mini"],
  ["gpt-4o", "gpt-4o-audio-preview"],
  ["claude-sonnet-4", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5", "claude-opus-4-5"],
  ["gemini-2.5-flash", "gemini-2.5-flash-lite"],
  ["llama3.1:8b", "llama3.1:70b"],
  ["gpt-4o-mini", "ft:gpt-4o-mini-2024-07-18:org::id"],
  ["gpt-5.1", "gpt-5"],
])("%s and %s are two models", (first, second) => {
  expect(modelIdentity(first)).not.toBe(modelIdentity(second));
});
