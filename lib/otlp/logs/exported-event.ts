import type { ExportLogsRequest } from "../../contract/otlp/export-logs.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { Refusal } from "../../domain/refusal.ts";
import { mostKeys } from "../../domain/traces/limits.ts";
import { plainObject, plainValue } from "../any-value.ts";
import { instantOfNanos } from "../nano-instant.ts";
import { spanIdForm, traceIdForm } from "../span-ids.ts";

/** A log record that is an event of a model's call. */
export interface ExportedEvent {
  /** 32 and 16 hex digits, lower case. */
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly at: Instant;
  readonly attributes: JsonObject;
  readonly body: Json;
}

type Sent = ExportLogsRequest["resourceLogs"][number]["scopeLogs"][number]["logRecords"][number];

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const eventOf = (record: Sent): ExportedEvent | string => {
  const attributes = plainObject(record.attributes);
  const name = record.eventName || textOf(attributes["event.name"]);
  if (!name.startsWith("gen_ai.")) return "Log records are not stored, but for events of GenAI.";
  const [traceId, spanId] = [record.traceId.toLowerCase(), record.spanId.toLowerCase()];
  if (!traceIdForm.test(traceId) || !spanIdForm.test(spanId)) return "An event of GenAI does not name its span.";
  const at = instantOfNanos(record.timeUnixNano) ?? instantOfNanos(record.observedTimeUnixNano);
  if (at === null) return "An event has no time.";
  if (record.attributes.length > mostKeys) return `An event has more than ${mostKeys} attributes.`;
  return { traceId, spanId, name, at, attributes, body: plainValue(record.body) };
};

/** Log records of one request. */
const mostRecords = 20_000;

/**
 * The events of models' calls among the log records of a request; what is none is described in words.
 *
 * @throws Refusal `too-large` for more records than one request may have.
 */
export const exportedEvents = ({ resourceLogs }: ExportLogsRequest) => {
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  if (records.length > mostRecords)
    throw new Refusal({ kind: "too-large", detail: `A request has at most ${mostRecords} log records.` });
  const read = records.map(eventOf);
  return {
    events: read.filter((event) => typeof event !== "string"),
    refused: read.filter((event) => typeof event === "string"),
  };
};
