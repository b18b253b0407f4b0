import * as v from "valibot";
import { json } from "../fields.ts";
import { route } from "../route.ts";
import { attributes, message, repeated, resource, scope, string, wide } from "./fields.ts";

const logRecord = message({
  timeUnixNano: wide,
  observedTimeUnixNano: wide,
  eventName: string,
  body: v.nullish(json),
  attributes,
  traceId: string,
  spanId: string,
});

const exportRequest = v.pipe(
  message({
    resourceLogs: repeated(
      message({ resource, scopeLogs: repeated(message({ scope, logRecords: repeated(logRecord) })) }),
    ),
  }),
  v.title("ExportLogsServiceRequest"),
  v.description("OTLP's request, as its JSON encoding writes it; what it does not name is passed over."),
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

/** OTLP's request as its JSON encoding writes it, whichever encoding it came in. */
export type ExportLogsRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedLogRecords: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportLogsServiceResponse"),
  v.description("Empty when every record was taken; else how many were not, and why."),
  v.examples([{}]),
);

export const exportLogs = route({
  id: "exportLogs",
  method: "POST",
  path: "/v1/logs",
  handler: "api/otlp/export-logs",
  summary: "Take what a model was asked and answered from OpenTelemetry's log events",
  description:
    "Some instrumentations tell the content of a model's call not in its span but in log records: events whose name begins with " +
    "`gen_ai.` (`gen_ai.user.message`, `gen_ai.choice`, `gen_ai.client.inference.operation.details`). Those that name their trace " +
    "and span become that span's `input` and `output`, unless the span tells its own, and are kept in its metadata as `otel.logs`, " +
    "at most 100 of a span. They may come before the span, behind it, and twice: before it the trace has a span of the event's name " +
    "that says `otel.awaits_span`, which becomes the span when it comes. All other log records are not stored, and " +
    "`partialSuccess` says how many: exporters do not send them again. Encodings and refusals are those of `POST /v1/traces`.",
  access: "project",
  permission: "ingest",
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  repeats: "sent",
  reply: exportResponse,
  grants: {
    bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
  },
  memory: 1769,
});
