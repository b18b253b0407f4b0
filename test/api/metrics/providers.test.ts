import { expect, inject, test } from "vitest";
import { listProviders } from "../../../lib/contract/metrics/providers.ts";
import { newProject } from "../../support/service/client.ts";
import { expectStatus } from "../../support/reply-shape.ts";

test("providers are listed in order, with their configuration and what to do about those that are missing", async () => {
  const reply = await newProject(inject("service")).call(listProviders);

  expectStatus(reply, 200);
  expect(reply.body).toMatchObject([
    { key: "openai", name: "OpenAI", available: false },
    { key: "anthropic", name: "Anthropic", available: false },
    { key: "gemini", name: "Google Gemini", available: false },
    { key: "vertex_ai", name: "Google Vertex AI", available: false },
    { key: "bedrock", name: "Amazon Bedrock", available: false },
    { key: "openrouter", name: "OpenRouter", available: false },
    { key: "custom", name: "Custom server", available: false },
    { key: "openai-decisions", name: "OpenAI decision models", available: false },
    { key: "systemone", name: "System One", available: false },
    { key: "offline", name: "Offline rules", available: true, message: "Provider 'Offline rules' is available." },
  ]);
  expect(reply.text).toContain("store its API key in the environment variable ANTHROPIC_API_KEY");
  expect(reply.text).toContain("setting 'providers' does not name 'bedrock'");
});
