import * as v from "valibot";
import { attributes, message, repeated, resource, scope, optionalText, int64 } from "./fields.ts";
import { mappingTable } from "../../conventions/mapping-table.ts";
import { route } from "../route.ts";

const uint32 = v.nullish(v.number());

const span = message({
  traceId: optionalText,
  spanId: optionalText,
  parentSpanId: optionalText,
  traceState: optionalText,
  flags: uint32,
  name: optionalText,
  kind: int64,
  startTimeUnixNano: int64,
  endTimeUnixNano: int64,
  attributes,
  events: repeated(message({ timeUnixNano: int64, name: optionalText, attributes, droppedAttributesCount: uint32 })),
  links: repeated(
    message({
      traceId: optionalText,
      spanId: optionalText,
      traceState: optionalText,
      attributes,
      droppedAttributesCount: uint32,
      flags: uint32,
    }),
  ),
  status: v.nullish(message({ message: optionalText, code: int64 })),
  droppedAttributesCount: uint32,
  droppedEventsCount: uint32,
  droppedLinksCount: uint32,
});

const exportRequest = v.pipe(
  message({
    resourceSpans: repeated(
      message({
        resource,
        schemaUrl: optionalText,
        scopeSpans: repeated(message({ scope, schemaUrl: optionalText, spans: repeated(span) })),
      }),
    ),
  }),
  v.title("ExportTraceServiceRequest"),
  v.description("OTLP export request in its JSON encoding; unknown fields are ignored."),
  v.examples([
    {
      resourceSpans: [
        {
          schemaUrl: "",
          scopeSpans: [
            {
              schemaUrl: "",
              spans: [
                {
                  traceId: "5b8efff798038103d269b633813fc60c",
                  spanId: "eee19b7ec3c1b174",
                  parentSpanId: "",
                  traceState: "",
                  name: "chat gpt-5",
                  startTimeUnixNano: "1795251600000000000",
                  endTimeUnixNano: "1795251601250000000",
                  attributes: [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }],
                  events: [],
                  links: [],
                },
              ],
            },
          ],
        },
      ],
    },
  ]),
);

/** An OTLP traces request in the form of its JSON encoding; protobuf requests are converted to it. */
export type ExportTracesRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedSpans: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportTraceServiceResponse"),
  v.description("Empty if all spans were accepted, else the number of rejected spans and the reason."),
  v.examples([{}]),
);

export const exportTraces = route({
  id: "exportTraces",
  method: "POST",
  idempotency: "replay-by-header",
  path: "/v1/traces",
  handler: "api/otlp/export-traces",
  summary: "Ingest OpenTelemetry traces",
  description:
    "OTLP/HTTP endpoint for OpenTelemetry exporters. Set `OTEL_EXPORTER_OTLP_ENDPOINT` to the URL of the service and " +
    "`OTEL_EXPORTER_OTLP_HEADERS` to `X-API-Key=...,X-Project-Name=...`. Without a header that names a project, spans go to the only " +
    "project of the key; else to the one that they or their resource name in `langsmith.trace.session_name` or `braintrust.parent`; else " +
    "to the one in the header `x-bt-parent`; else to `default`. A request may name 20 projects. Bodies are protobuf or JSON, optionally with gzip; the " +
    "reply has the encoding of the request, and errors are a `google.rpc.Status` with 400 for invalid requests. Spans of a trace " +
    "can arrive in several requests, in any order and repeatedly. Trace ids become UUIDs with the same digits; span ids become " +
    "the end of a UUID. Top spans are those without a parent, or with a remote one that is not stored: a trace " +
    "lasts from the start of the first to the end of the last, is RUNNING until all have ended, and ERROR if one failed; one of an agent without a status and an output failed if its last step did. " +
    "A trace without a top span ends when no span has arrived for the project's `trace_silence`, 10 minutes by default. Spans without ids, and spans that start before 2000 or more " +
    "than a day from now (unless the operator has set other bounds), are rejected, and so are spans of a trace that was deleted in the last 24 hours; the other spans of the request are stored. " +
    "Labels and tags may be numbers or booleans; what is longer than its limit is cut and named in `partialSuccess`. " +
    "Requests above 4 MiB, 20,000 spans or 300,000 protobuf messages (spans, attributes, values and events) get 413, and exporters " +
    "do not send them again: for spans of 40 KiB set `OTEL_BSP_MAX_EXPORT_BATCH_SIZE` to 100 (the default of 512 suits spans of 8 " +
    "KiB). Spans that cannot be stored within seven seconds give 429 with `Retry-After`; exporters then send the request again, and " +
    "spans already stored are not duplicated.\n\n" +
    "Each field is read from the first matching attribute of these conventions, listed below: SDKs of Langfuse and LangSmith, MLflow, " +
    "Pydantic AI, Strands and LiteLLM, OpenTelemetry's generative AI conventions, OpenInference, earlier names of OpenTelemetry, " +
    "Traceloop, Vercel's AI SDK, and Logfire. Messages of OpenAI, Anthropic, Bedrock, Gemini and LangChain are converted to one format. The output of a graph " +
    "state is its last reply, the output of an embedding the number and the dimensions of its vectors. A trace whose root span " +
    "failed without an output has none. Usage that several spans report counts once, as `GET /prices` says; a total is the usage in " +
    "`gen_ai.aggregated_usage.*`, and that of the outer spans of Vercel's AI SDK (`ai.generateText`) and of agents of the Claude Agent SDK. No attribute is dropped: attributes without a field are kept in the span's `metadata`; " +
    "duplicates, measurements of the span and internal data of frameworks are kept in `otel.attributes` there, which judges do " +
    "not see. Events `gen_ai.evaluation.result` are also PROGRAMMATIC scores of their span, once however often they are sent, at most " +
    "1,000 in a request.\n\n" +
    mappingTable,
  access: "project",
  permission: "ingest",
  scorePermission: "write",
  projectHeaders: ["Langsmith-Project"],
  namesProjects: true,
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  reply: exportResponse,
  grants: {
    bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
    scores: ["GetItem", "PutItem", "DeleteItem"],
  },
  memory: 1769,
});

/** Route of `exportTraces` under the path to which Langfuse's SDKs send spans. */
export const exportTracesLangfuse = route({
  ...exportTraces,
  id: "exportTracesLangfuse",
  path: "/api/public/otel/v1/traces",
  answeredBy: exportTraces.id,
  summary: "Ingest traces from Langfuse's SDKs",
  description: `Alias of \`POST ${exportTraces.path}\` with Basic authentication: the public key is the name of the project, the secret key is an API key.`,
});

/** Route of `exportTraces` under the path to which LangSmith's SDKs send spans. */
export const exportTracesLangsmith = route({
  ...exportTraces,
  id: "exportTracesLangsmith",
  path: "/otel/v1/traces",
  answeredBy: exportTraces.id,
  summary: "Ingest traces from LangSmith's SDKs",
  description:
    `Alias of \`POST ${exportTraces.path}\` with an API key of this service in \`X-API-Key\`. The project is named by ` +
    "`Langsmith-Project`, or by the spans.",
});

/** Route of `exportTraces` under the path to which LangSmith's SDKs send spans by the endpoint of their other requests. */
export const exportTracesLangsmithEndpoint = route({
  ...exportTracesLangsmith,
  id: "exportTracesLangsmithEndpoint",
  path: "/langsmith/otel/v1/traces",
});
