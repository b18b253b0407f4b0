import * as v from "valibot";
import { route } from "../route.ts";
import { attributeValue, attributes, message, repeated, resource, scope, optionalText, int64 } from "./fields.ts";

const logRecord = message({
  timeUnixNano: int64,
  observedTimeUnixNano: int64,
  eventName: optionalText,
  body: attributeValue,
  attributes,
  traceId: optionalText,
  spanId: optionalText,
});

const exportRequest = v.pipe(
  message({
    resourceLogs: repeated(
      message({ resource, scopeLogs: repeated(message({ scope, logRecords: repeated(logRecord) })) }),
    ),
  }),
  v.title("ExportLogsServiceRequest"),
  v.description("OTLP export request in its JSON encoding; unknown fields are ignored."),
  v.examples([
    {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  timeUnixNano: "1795251600000000000",
                  eventName: "gen_ai.user.message",
                  body: {
                    kvlistValue: { values: [{ key: "content", value: { stringValue: "Where is my order 1042?" } }] },
                  },
                  attributes: [],
                  traceId: "5b8efff798038103d269b633813fc60c",
                  spanId: "eee19b7ec3c1b174",
                },
              ],
            },
          ],
        },
      ],
    },
  ]),
);

/** An OTLP logs request in the form of its JSON encoding; protobuf requests are converted to it. */
export type ExportLogsRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedLogRecords: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportLogsServiceResponse"),
  v.description("Empty if all log records were accepted, else the number of rejected records and the reason."),
  v.examples([{}]),
);

export const exportLogs = route({
  id: "exportLogs",
  method: "POST",
  path: "/v1/logs",
  handler: "api/otlp/export-logs",
  summary: "Ingest OpenTelemetry logs",
  description:
    "Some instrumentations send the content of model calls in log records instead of spans: events whose name starts with `gen_ai.` " +
    "(`gen_ai.user.message`, `gen_ai.choice`, `gen_ai.client.inference.operation.details`). Events with a trace id and a span id " +
    "become the `input` and `output` of that span, unless the span has its own, and are kept in its metadata as `otel.logs`, at " +
    "most 1,000 per span. Claude Code's events about prompts, answers and calls are kept in the same way, and tell the arguments of " +
    "tool calls and the cost of model calls to their spans. Events can arrive before or after the span, and repeatedly: until the span " +
    "arrives, the trace has a placeholder span named after the event, with `otel.awaits_span`. Events `gen_ai.evaluation.result` are also " +
    "PROGRAMMATIC scores of their span. All other log records are rejected with their number in " +
    "`partialSuccess`, so that exporters do not send them again. Projects, encodings and errors are the same as for `POST /v1/traces`.",
  access: "project",
  permission: "ingest",
  scorePermission: "write",
  projectHeaders: ["Langsmith-Project"],
  namesProjects: true,
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  idempotency: "replay-by-header",
  reply: exportResponse,
  grants: {
    bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
    scores: ["GetItem", "PutItem", "DeleteItem"],
  },
  memory: 1769,
});
