/** Entry point of the npm package `assay/otel`: sends OpenTelemetry spans to the service. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** Where spans go. */
export interface SpanDestination {
  /** Base URL of the service with the stage: `https://abc.execute-api.eu-west-1.amazonaws.com/dev`. */
  readonly url: string;
  readonly apiKey: string;
  /** Name of the project; not required with a key of one project. */
  readonly project?: string | undefined;
}

/** Tracing of this process. */
export interface Tracing {
  readonly provider: TracerProvider;
  /**
   * Sends all ended spans, for functions that end or freeze after their reply: `await flush()` in Lambda, `waitUntil(flush())` on
   * Vercel. Never rejects: a failure is reported on the console.
   */
  readonly flush: () => Promise<void>;
}

/** Exporter that reports on the console why spans are lost, each reason once: by default OpenTelemetry says nothing. */
class ReportingExporter extends OTLPTraceExporter {
  readonly #reasons = new Set<string>();

  override export(...[spans, onResult]: Parameters<OTLPTraceExporter["export"]>): void {
    super.export(spans, (result) => {
      const reason = result.error?.message;
      if (reason !== undefined && !this.#reasons.has(reason)) {
        this.#reasons.add(reason);
        console.warn(`Spans that Assay did not get: ${spans.length} (${reason}).`);
      }
      onResult(result);
    });
  }
}

/**
 * Returns a batching processor with an exporter to the service, for a program that has a provider already, such as that of `NodeSDK` or
 * `registerOTel`.
 *
 * @throws TypeError if the address or the key is missing.
 */
export const spanProcessor = ({ url, apiKey, project }: SpanDestination): SpanProcessor => {
  for (const [name, value] of Object.entries({ url, apiKey }))
    if (!value) throw new TypeError(`The ${name} of Assay is missing.`);
  const headers: Record<string, string> = { "X-API-Key": apiKey };
  if (project !== undefined) headers["X-Project-Name"] = project;
  return new BatchSpanProcessor({
    exporter: new ReportingExporter({ url: `${url.replace(/(?<!\/)\/+$/u, "")}/v1/traces`, headers }),
  });
};

/**
 * Registers a global tracer provider that sends all spans to the service.
 *
 * @throws Error if a provider is registered already, which would get no span of this one.
 * @example
 * const { ASSAY_URL: url = "", ASSAY_API_KEY: apiKey = "" } = process.env;
 * const { flush } = register({ url, apiKey, project: "default" });
 * export const handler = (event) => answer(event).finally(flush);
 */
export const register = (destination: SpanDestination): Tracing => {
  const provider = new TracerProvider({ spanProcessors: [spanProcessor(destination)] });
  if (!trace.setGlobalTracerProvider(provider))
    throw new Error(
      "Another OpenTelemetry provider is registered: pass it `spanProcessor(...)` of assay/otel instead.",
    );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { provider, flush: () => provider.forceFlush().catch(() => undefined) };
};
