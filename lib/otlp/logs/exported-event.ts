import { textOf, plainObject, plainValue, instantOfNanos } from "../wire/any-value.ts";
import type { ExportLogsRequest } from "../../contract/otlp/export-logs.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maxObjectKeys } from "../../domain/traces/limits.ts";
import { spanIdForm, traceIdForm } from "../wire/span-ids.ts";

/** A log record that is a generative AI event (`gen_ai.*`) of a model call. */
export interface ExportedEvent {
  /** 32 hex digits, lower case. */
  readonly traceId: string;
  /** 16 hex digits, lower case. */
  readonly spanId: string;
  readonly name: string;
  readonly at: Instant;
  readonly attributes: JsonObject;
  readonly body: Json;
}

type LogRecord = ExportLogsRequest["resourceLogs"][number]["scopeLogs"][number]["logRecords"][number];

const eventOf = (record: LogRecord): ExportedEvent | string => {
  const attributes = plainObject(record.attributes);
  const name = record.eventName || textOf(attributes["event.name"]);
  if (!name.startsWith("gen_ai.")) return "Log records other than gen_ai events are not stored.";
  const [traceId, spanId] = [record.traceId.toLowerCase(), record.spanId.toLowerCase()];
  if (!traceIdForm.test(traceId) || !spanIdForm.test(spanId))
    return "A gen_ai event has no valid trace id and span id.";
  const at = instantOfNanos(record.timeUnixNano) ?? instantOfNanos(record.observedTimeUnixNano);
  if (at === null) return "A gen_ai event has no time.";
  if (record.attributes.length > maxObjectKeys) return `An event has more than ${maxObjectKeys} attributes.`;
  return { traceId, spanId, name, at, attributes, body: plainValue(record.body) };
};

/** Max log records per request. */
const maxRecords = 20_000;

/**
 * Returns the generative AI events among the log records of a request, and the reasons for which the other records were rejected.
 *
 * @throws Refusal 'too-large' if the request has more than 20,000 log records.
 */
export const exportedEvents = ({ resourceLogs }: ExportLogsRequest) => {
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  if (records.length > maxRecords)
    throw new Refusal({ kind: "too-large", detail: `A request has at most ${maxRecords} log records.` });
  const results = records.map(eventOf);
  return {
    events: results.filter((event) => typeof event !== "string"),
    rejections: results.filter((event) => typeof event === "string"),
  };
};
