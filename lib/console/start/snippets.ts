import type { Destination } from "../../domain/destination.ts";

/** A program that sends a trace, and the environment variables that it reads. */
export interface Snippet {
  readonly title: string;
  /** Topic of its page in the documentation. */
  readonly topic: string;
  readonly variables: (destination: Destination) => Readonly<Record<string, string>>;
  /** Command that installs its packages; null if it needs none. */
  readonly install: string | null;
  /** Name of the file to save the program as; null for a shell command. */
  readonly file: string | null;
  readonly code: string;
}

const ownVariables = ({ serviceUrl, apiKey, projectName }: Destination) => ({
  ASSAY_URL: serviceUrl,
  ASSAY_API_KEY: apiKey,
  ASSAY_PROJECT: projectName,
});

const openTelemetry = `import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer("first");

const span = tracer.startSpan("support-agent");
span.setAttribute("input.value", "Where is my order 1042?");
span.setAttribute("output.value", "It arrives tomorrow.");
span.end();
await processor.forceFlush();`;

const langfuse = `from langfuse import get_client, observe

@observe()
def agent(question: str) -> str:
    get_client().score_current_trace(name="helpful", value=0.9)
    return "It is sunny."

agent("What is the weather in Paris?")
get_client().flush()`;

const langsmith = `import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";

const client = new Client();
const agent = traceable(async (question) => "It arrives tomorrow.", { name: "support-agent", client });

console.log(await agent("Where is my order 1042?"));
await client.awaitPendingTraceBatches();`;

const python = `import json, os, urllib.request
from datetime import datetime, timezone

now = datetime.now(timezone.utc).isoformat()
step = {"name": "look_up_order", "kind": "TOOL", "started_at": now, "input": {"order": 1042}, "output": {"state": "shipped"}}
trace = {
    "name": "support-agent",
    "started_at": now,
    "input": "Where is my order 1042?",
    "output": "It arrives tomorrow.",
    "spans": [step],
}
headers = {
    "X-API-Key": os.environ["ASSAY_API_KEY"],
    "X-Project-Name": os.environ["ASSAY_PROJECT"],
    "Content-Type": "application/json",
}
request = urllib.request.Request(os.environ["ASSAY_URL"] + "/traces", json.dumps(trace).encode(), headers)
print(urllib.request.urlopen(request).read().decode())`;

const typeScript = `const now = new Date().toISOString();
const step = { name: "look_up_order", kind: "TOOL", started_at: now, input: { order: 1042 }, output: { state: "shipped" } };
const trace = {
  name: "support-agent",
  started_at: now,
  input: "Where is my order 1042?",
  output: "It arrives tomorrow.",
  spans: [step],
};
const { ASSAY_URL, ASSAY_API_KEY = "", ASSAY_PROJECT = "" } = process.env;
const response = await fetch(\`\${ASSAY_URL}/traces\`, {
  method: "POST",
  headers: { "X-API-Key": ASSAY_API_KEY, "X-Project-Name": ASSAY_PROJECT, "Content-Type": "application/json" },
  body: JSON.stringify(trace),
});
console.log(response.status, await response.text());`;

const curl = `curl "$ASSAY_URL/traces" \\
  -H "X-API-Key: $ASSAY_API_KEY" -H "X-Project-Name: $ASSAY_PROJECT" -H "Content-Type: application/json" \\
  -d '{"name": "support-agent", "started_at": "'$(date -u +%Y-%m-%dT%H:%M:%SZ)'",
       "input": "Where is my order 1042?", "output": "It arrives tomorrow."}'`;

/** Programs that send a first trace, by their name in the address. Tests run them, or compare them with programs that ran. */
export const snippets = {
  opentelemetry: {
    title: "OpenTelemetry",
    topic: "send-traces",
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_HEADERS: `X-API-Key=${apiKey},X-Project-Name=${projectName}`,
    }),
    install: "npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-proto",
    file: "first.mjs",
    code: openTelemetry,
  },
  langfuse: {
    title: "Langfuse",
    topic: "langfuse-python",
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      LANGFUSE_BASE_URL: serviceUrl,
      LANGFUSE_PUBLIC_KEY: projectName,
      LANGFUSE_SECRET_KEY: apiKey,
    }),
    install: "pip install langfuse",
    file: "first.py",
    code: langfuse,
  },
  langsmith: {
    title: "LangSmith",
    topic: "langsmith-js",
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      LANGSMITH_TRACING: "true",
      LANGSMITH_ENDPOINT: `${serviceUrl}/langsmith`,
      LANGSMITH_API_KEY: apiKey,
      LANGSMITH_PROJECT: projectName,
    }),
    install: "npm install langsmith",
    file: "first.mjs",
    code: langsmith,
  },
  python: {
    title: "Python",
    topic: "traces",
    variables: ownVariables,
    install: null,
    file: "first.py",
    code: python,
  },
  typescript: {
    title: "TypeScript",
    topic: "traces",
    variables: ownVariables,
    install: null,
    file: "first.mts",
    code: typeScript,
  },
  curl: { title: "curl", topic: "traces", variables: ownVariables, install: null, file: null, code: curl },
} as const satisfies Readonly<Record<string, Snippet>>;

/** Name of a snippet in the address. */
export type SnippetName = keyof typeof snippets;

/** Quotes a text as one word of a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Shell commands that set the variables of a snippet. */
export const exportLines = ({ variables }: Snippet, destination: Destination): string =>
  Object.entries(variables(destination))
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join("\n");

/** Programs that run a file, by its extension. */
const interpreters: Readonly<Record<string, string>> = { mjs: "node", mts: "node", py: "python3" };

/** Shell command that runs a snippet's file. */
export const runCommand = (file: string): string => `${interpreters[file.split(".").at(-1) ?? ""]} ${file}`;
