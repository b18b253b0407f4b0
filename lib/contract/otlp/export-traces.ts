import * as v from "valibot";
import { attributes, message, repeated, resource, scope, string, wide } from "./fields.ts";
import { otlpMappingTable } from "./mapping.ts";
import { route } from "../route.ts";

const small = v.nullish(v.number());

const spanOfRequest = message({
  traceId: string,
  spanId: string,
  parentSpanId: string,
  traceState: string,
  flags: small,
  name: string,
  kind: wide,
  startTimeUnixNano: wide,
  endTimeUnixNano: wide,
  attributes,
  events: repeated(message({ timeUnixNano: wide, name: string, attributes })),
  links: repeated(message({ traceId: string, spanId: string, traceState: string, attributes, flags: small })),
  status: v.nullish(message({ message: string, code: wide })),
  droppedAttributesCount: small,
  droppedEventsCount: small,
  droppedLinksCount: small,
});

const exportRequest = v.pipe(
  message({
    resourceSpans: repeated(
      message({
        resource,
        schemaUrl: string,
        scopeSpans: repeated(message({ scope, schemaUrl: string, spans: repeated(spanOfRequest) })),
      }),
    ),
  }),
  v.title("ExportTraceServiceRequest"),
  v.description("OTLP's request, as its JSON encoding writes it; what it does not name is passed over."),
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

/** OTLP's request as its JSON encoding writes it, whichever encoding it came in. */
export type ExportRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedSpans: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportTraceServiceResponse"),
  v.description("Empty when every span was taken; else how many were not, and why."),
  v.examples([{}]),
);

export const exportTraces = route({
  id: "exportTraces",
  method: "POST",
  repeats: "sent",
  path: "/v1/traces",
  handler: "api/otlp/export-traces",
  summary: "Take spans from OpenTelemetry (OTLP/HTTP)",
  description:
    "For the exporters of OpenTelemetry: `OTEL_EXPORTER_OTLP_ENDPOINT` is the service's address, " +
    "`OTEL_EXPORTER_OTLP_HEADERS` is `X-API-Key=...,X-Project-Name=...`. Protobuf or JSON, gzip or not; the reply has the " +
    "request's encoding, an error is a `google.rpc.Status` (what is wrong with a request is 400). Spans of a trace may come " +
    "over many requests, in any order and twice. A trace id is the UUID with the same digits; a span id is the end of its " +
    "UUID. Until its root came a trace is RUNNING. A span that starts before 2000 or more than a day from now is rejected (an " +
    "operator may choose other bounds), as is one without ids; the others are stored. A request above 4 MiB, 20,000 spans or " +
    "300,000 messages (each span, attribute, value and event is one) is 413, which exporters do not send again: " +
    "with spans of 40 KiB let `OTEL_BSP_MAX_EXPORT_BATCH_SIZE` be 100 (its default, 512, fits spans of 8 KiB). What could not " +
    "be stored within seven seconds is 429 with `Retry-After`: exporters send the request again, and what is stored is not " +
    "stored twice.\n\n" +
    "The conventions are asked for each field by itself: the words of Langfuse's and LangSmith's SDKs, MLflow, Pydantic AI, " +
    "Strands and LiteLLM, OpenTelemetry's for generative AI, OpenInference's, the earlier names of OpenTelemetry's, " +
    "Traceloop's, those of Vercel's AI SDK and Logfire's. Messages of OpenAI, Anthropic, Bedrock, Gemini and LangChain come " +
    "out in one form; of a graph's state the last reply is the output, of an embedding how many vectors of how many " +
    "dimensions. A trace whose root failed and told no output has none. Tokens and costs of AGENT, CHAIN and TOOL spans add " +
    "up those of the calls in them: they are kept in `metadata` and not counted. Nothing is dropped: what no field takes " +
    "stays in the span's `metadata`, and what says the same again, only measures the span or is a framework's own " +
    "bookkeeping, in `otel.attributes` there, which no judge is shown.\n\n" +
    otlpMappingTable,
  access: "project",
  permission: "ingest",
  projectHeaders: ["Langsmith-Project"],
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  reply: exportResponse,
  grants: {
    bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
  },
  memory: 1769,
});

/** The same where Langfuse's SDKs send spans to. */
export const exportTracesLangfuse = route({
  ...exportTraces,
  id: "exportTracesLangfuse",
  path: "/api/public/otel/v1/traces",
  answeredBy: exportTraces.id,
  summary: "Take spans from OpenTelemetry, where Langfuse's SDKs send them",
  description: `As \`POST ${exportTraces.path}\`. The public key is the project's name, the secret key an API key (Basic).`,
});

/** The same where LangSmith's SDKs send spans to. */
export const exportTracesLangsmith = route({
  ...exportTraces,
  id: "exportTracesLangsmith",
  path: "/otel/v1/traces",
  answeredBy: exportTraces.id,
  summary: "Take spans from OpenTelemetry, where LangSmith's SDKs send them",
  description:
    `As \`POST ${exportTraces.path}\`. The API key is one of ours (\`X-API-Key\`), the project the one that ` +
    "`Langsmith-Project` names.",
});
