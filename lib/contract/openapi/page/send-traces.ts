import { codeBlock, html, prose, type Html } from "./html.ts";
import { javaScriptPrograms } from "./programs/javascript.ts";
import type { Program, ProgramSettings } from "./programs/program.ts";
import { instrumentedPrograms } from "./programs/python-instrumented.ts";
import { pythonPrograms } from "./programs/python.ts";

/** What each kind of program is told, with the address and the key of the first steps; the project is `default`. */
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

/** How programs of each framework send their traces: each was run with the versions that stand beside it, and its trace was stored. */
export const sendTraces: Html = html` <section id="send-traces">
  <h2>Send traces from a framework</h2>
  <p>
    ${prose("Each of these programs was run with the versions beside its name, before a model that answered by a script, and its trace was stored. `ASSAY` and `KEY` are those of the first steps; the project is made when it is named first.")}
  </p>
  <h3>Python</h3>
  ${[...instrumentedPrograms, ...pythonPrograms].map(folded)}
  <h3>JavaScript</h3>
  ${javaScriptPrograms.map(folded)}
</section>`;
