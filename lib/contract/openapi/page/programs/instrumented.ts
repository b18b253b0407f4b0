import type { Program } from "./program.ts";

const exporter = `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor`;

const provider = `provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))`;

/** What is of the program's own. */
interface Instrumented extends Pick<Program, "name" | "ranWith"> {
  /** What has to stand before all else. */
  readonly first?: string;
  readonly imports: string;
  readonly work: string;
}

/** A program in Python that sets OpenTelemetry up itself. */
export const instrumented = ({ name, ranWith, first, imports, work }: Instrumented): Program => ({
  name,
  settings: "otlp",
  ranWith,
  code: [...(first === undefined ? [] : [first]), exporter, imports, "", provider, work, "provider.shutdown()"].join(
    "\n",
  ),
});
