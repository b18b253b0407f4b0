import { codeBlock, html, prose, type Html } from "./html.ts";
import { javaScriptPrograms } from "./programs/javascript.ts";
import type { Program, ProgramSettings } from "./programs/program.ts";
import { instrumentedPrograms } from "./programs/python-instrumented.ts";
import { pythonPrograms } from "./programs/python.ts";

/** Shell commands that set the environment of each kind of program, with URL and key of the quick start and project `default`. */
const settings: Readonly<Record<ProgramSettings, string>> = {
  otlp: [
    "export OTEL_EXPORTER_OTLP_ENDPOINT=$ASSAY OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "export OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=$KEY,X-Project-Name=default",
  ].join("\n"),
  litellm: [
    "export OTEL_EXPORTER=otlp_http OTEL_EXPORTER_OTLP_ENDPOINT=$ASSAY OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "export OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=$KEY,X-Project-Name=default",
  ].join("\n"),
  langfuse: "export LANGFUSE_BASE_URL=$ASSAY LANGFUSE_PUBLIC_KEY=default LANGFUSE_SECRET_KEY=$KEY",
  langsmith: [
    "export LANGSMITH_TRACING=true LANGSMITH_TRACING_MODE=otel LANGSMITH_ENDPOINT=$ASSAY",
    "export LANGSMITH_API_KEY=$KEY LANGSMITH_PROJECT=default",
  ].join("\n"),
  phoenix: "export PHOENIX_COLLECTOR_ENDPOINT=$ASSAY PHOENIX_CLIENT_HEADERS=X-API-Key=$KEY,X-Project-Name=default",
  traceloop: "export TRACELOOP_BASE_URL=$ASSAY TRACELOOP_HEADERS=X-API-Key=$KEY,X-Project-Name=default",
};

const folded = ({ name, settings: kind, ranWith, code }: Program): Html =>
  html` <details>
    <summary>Send traces from ${name} <small>${ranWith.join(", ")}</small></summary>
    ${codeBlock(settings[kind])} ${codeBlock(code)}
  </details>`;

/** Section with sample programs that send traces, one per framework, with the package versions used in the test. */
export const sendTraces: Html = html` <section id="send-traces">
  <h2>Send traces from a framework</h2>
  <p>
    ${prose("Each program was tested with the versions beside its name and a simulated model, and its trace was stored. `ASSAY` and `KEY` are those of the quick start; the project is created by the first request that names it.")}
  </p>
  <h3>Python</h3>
  ${[...instrumentedPrograms, ...pythonPrograms].map(folded)}
  <h3>JavaScript</h3>
  ${javaScriptPrograms.map(folded)}
</section>`;
