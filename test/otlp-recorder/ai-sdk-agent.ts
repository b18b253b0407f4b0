import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool, type Telemetry } from "ai";
import { shop } from "./shop.ts";

const context = { sessionId: shop.session, userId: shop.user, branch: "north" };

const settings = (baseURL: string, telemetry: Telemetry, name: string, model = shop.model) => ({
  model: createOpenAICompatible({ name: "shop-models", baseURL, includeUsage: true })(model),
  instructions: shop.instructions,
  prompt: shop.question,
  temperature: 0.2,
  maxRetries: 0,
  stopWhen: stepCountIs(3),
  runtimeContext: context,
  telemetry: {
    functionId: name,
    integrations: [telemetry],
    includeRuntimeContext: { sessionId: true, userId: true, branch: true },
  },
});

const lookup = (execute: () => Promise<object>) =>
  tool({
    description: shop.lookup.description,
    inputSchema: jsonSchema<{ order: number }>(shop.lookup.parameters),
    execute,
  });

/** Runs an agent of Vercel's AI SDK that looks up an order and streams its answer. */
export const streamingAgent = async (baseURL: string, telemetry: Telemetry): Promise<void> => {
  const tools = { [shop.lookup.name]: lookup(() => Promise.resolve(shop.order)) };
  await streamText({ ...settings(baseURL, telemetry, "answer_customer"), tools }).consumeStream();
};

/** Runs an agent without streaming, with a tool that throws. */
export const agentWithBrokenTool = async (baseURL: string, telemetry: Telemetry): Promise<void> => {
  const tools = { [shop.lookup.name]: lookup(() => Promise.reject(new TypeError(shop.failure))) };
  await generateText({ ...settings(baseURL, telemetry, "answer_customer"), tools });
};

/** Runs an agent whose provider refuses the model. */
export const agentWithoutModel = async (baseURL: string, telemetry: Telemetry): Promise<void> => {
  await generateText(settings(baseURL, telemetry, "answer_customer", shop.missingModel)).catch(() => undefined);
};
