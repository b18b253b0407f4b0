import type { Program } from "./program.ts";

const exporter = `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor`;

const provider = `provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))`;

/** The parts of a sample program that differ between frameworks. */
interface InstrumentedProgram extends Pick<Program, "topic" | "name" | "ranWith"> {
  /** Code that must precede all imports. */
  readonly preamble?: string;
  readonly imports: string;
  readonly body: string;
}

/** Builds a Python program that configures OpenTelemetry itself. */
export const instrumented = ({ preamble, imports, body, ...program }: InstrumentedProgram): Program => ({
  ...program,
  settings: "otlp",
  code: [
    ...(preamble === undefined ? [] : [preamble]),
    exporter,
    imports,
    "",
    provider,
    body,
    "provider.shutdown()",
  ].join("\n"),
  flush: "provider.force_flush()",
});
