import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK, tracing } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const processor = new tracing.BatchSpanProcessor(new OTLPTraceExporter());
const instrumentation = new OpenAIInstrumentation();
instrumentation.manuallyInstrument(OpenAI);
new NodeSDK({ spanProcessors: [processor], instrumentations: [instrumentation] }).start();

const messages = [{ role: "user", content: "What is the weather in Paris?" }];
const completion = await new OpenAI().chat.completions.create({ model: "gpt-5.4-mini", messages });
console.log(completion.choices[0].message.content);
await processor.forceFlush();
