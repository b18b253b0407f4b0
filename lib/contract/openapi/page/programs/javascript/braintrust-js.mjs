import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { BraintrustSpanProcessor } from "@braintrust/otel";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText, registerTelemetry } from "ai";

const processor = new BraintrustSpanProcessor();
new NodeSDK({ spanProcessors: [processor] }).start();
registerTelemetry(new OpenTelemetry());

const prompt = "What is the weather in Paris?";
console.log((await generateText({ model: openai("gpt-5.4-mini"), prompt })).text);
await processor.forceFlush();
