import { plainObject, plainValue, instantOfNanos, nanosOf } from "../wire/any-value.ts";
import type { ExportLogsRequest } from "../../contract/otlp/export-logs.ts";
import type { Instant } from "../../domain/instant.ts";
import { stringOrEmpty, type Json, type JsonObject } from "../../domain/json.ts";
import { claudeEvents } from "../../conventions/claude-code.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maxObjectKeys } from "../../domain/traces/limits.ts";
import { spanIdForm, traceIdForm } from "../wire/span-ids.ts";

/** A log record that is a generative AI event (`gen_ai.*`) of a model call, or an event of Claude Code. */
export interface ExportedEvent {
  /** 32 hex digits, lower case. */
  readonly traceId: string;
  /** 16 hex digits, lower case. */
  readonly spanId: string;
  readonly name: string;
  readonly at: Instant;
  /** Order among events of one microsecond: nanoseconds after `at`, nanoseconds from then to the observation, position in the request. */
  readonly order: readonly [nanos: number, observedAfter: number, position: number];
  readonly attributes: JsonObject;
  readonly body: Json;
  readonly resource: JsonObject;
}

type LogRecord = ExportLogsRequest["resourceLogs"][number]["scopeLogs"][number]["logRecords"][number];

const eventOf = (record: LogRecord, resource: JsonObject, position: number): ExportedEvent | string => {
  const attributes = plainObject(record.attributes);
  const body = plainValue(record.body);
  // Claude Code sends the whole name as the body.
  const name = claudeEvents.has(stringOrEmpty(body))
    ? stringOrEmpty(body)
    : record.eventName || stringOrEmpty(attributes["event.name"]);
  if (!name.startsWith("gen_ai.") && !claudeEvents.has(name))
    return "Log records other than gen_ai events are not stored.";
  const [traceId, spanId] = [record.traceId.toLowerCase(), record.spanId.toLowerCase()];
  if (!traceIdForm.test(traceId) || !spanIdForm.test(spanId))
    return "A gen_ai event has no valid trace id and span id.";
  const [time, observed] = [nanosOf(record.timeUnixNano), nanosOf(record.observedTimeUnixNano)];
  const nanos = time || observed;
  const at = instantOfNanos(String(nanos));
  if (at === null) return "A gen_ai event has no time.";
  if (record.attributes.length > maxObjectKeys) return `An event has more than ${maxObjectKeys} attributes.`;
  const order = [Number(nanos % 1000n), Math.max(0, Number(observed - nanos)), position] as const;
  return { traceId, spanId, name, at, order, attributes, body, resource };
};

/** Max log records per request. */
const maxRecords = 20_000;

/**
 * Returns the generative AI events among the log records of a request, and the reasons for which the other records were rejected.
 *
 * @throws Refusal 'too-large' if the request has more than 20,000 log records.
 */
export const exportedEvents = ({ resourceLogs }: ExportLogsRequest) => {
  const records = resourceLogs.flatMap(({ resource: sentResource, scopeLogs }) => {
    const resource = plainObject(sentResource?.attributes ?? []);
    return scopeLogs.flatMap(({ logRecords }) => logRecords.map((record) => ({ record, resource })));
  });
  if (records.length > maxRecords)
    throw new Refusal({ kind: "too-large", detail: `A request has at most ${maxRecords} log records.` });
  const results = records.map(({ record, resource }, position) => eventOf(record, resource, position));
  return {
    events: results.filter((event) => typeof event !== "string"),
    rejections: results.filter((event) => typeof event === "string"),
  };
};
