import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { type ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Program } from "./programs.ts";

const question = "Where is my order? The customer asked about the order and its delivery. ".repeat(6);
const answer = "It arrives tomorrow. The order left our warehouse this morning by truck. ".repeat(5);

/** Makes traces of an agent that calls a model. @param spans spans of each, the agent's among them @param labels attributes of the first span */
export const makeSpans = (
  traces: number,
  spans: number,
  labels: (trace: number) => { readonly name: string; readonly user: string } = () => ({ name: "agent", user: "u" }),
): readonly ReadableSpan[] => {
  const ended: ReadableSpan[] = [];
  const processor = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => void ended.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer("bench");
  for (let each = 0; each < traces; each += 1) {
    const { name, user } = labels(each);
    const attributes = { "gen_ai.operation.name": "invoke_agent", "user.id": user, "input.value": question };
    const root = tracer.startSpan(name, { attributes: { ...attributes, "output.value": answer } });
    for (let call = 1; call < spans; call += 1) {
      const model = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5.4-mini" };
      const usage = { "gen_ai.usage.input_tokens": 800, "gen_ai.usage.output_tokens": 90 };
      const texts = { "input.value": question, "output.value": answer };
      tracer
        .startSpan("chat", { attributes: { ...model, ...usage, ...texts } }, trace.setSpan(ROOT_CONTEXT, root))
        .end();
    }
    root.end();
  }
  return ended;
};

/**
 * Sends batches of spans from two exporters at once, which repeat what is refused for the moment.
 *
 * @returns the number of exports that failed in the end.
 */
export const exportAll = async (
  { url, headers }: Program,
  batches: readonly (readonly ReadableSpan[])[],
): Promise<number> => {
  const queue = batches.values();
  let failures = 0;
  const lane = async (): Promise<void> => {
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, headers, timeoutMillis: 120_000 });
    for (const batch of queue) {
      const { promise, resolve } = Promise.withResolvers<number>();
      exporter.export([...batch], ({ code }) => resolve(code));
      if ((await promise) !== 0) failures += 1;
    }
    await exporter.shutdown();
  };
  await Promise.all([lane(), lane()]);
  return failures;
};
