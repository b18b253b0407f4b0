import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parse } from "valibot";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { exportTraces, type ExportTracesRequest } from "../../../lib/contract/otlp/export-traces.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { decodeMessage } from "../../../lib/otlp/wire/decode-message.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { tracesOfEvents } from "../../../lib/otlp/logs/event-traces.ts";
import { exportLogsServiceRequest, exportTraceServiceRequest } from "../../../lib/otlp/wire/protobuf-messages.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";

const folder = new URL("../../fixtures/otlp/", import.meta.url);

/** Names of the recorded exports of spans in protobuf. */
export const recordedSpans = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
  /(?<!_logs)\.pb(?:\.gz)?$/u.test(file),
);

/** Bytes sent by an exporter, as recorded by `test/otlp-recorder/record.ts` or by a framework's own exporter (`.gz`). */
export const recordedBytes = (file: string): Buffer => {
  const bytes = readFileSync(new URL(file, folder));
  return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
};

/** A recorded export request, decoded. */
export const recordedRequest = (file: string): ExportTracesRequest => {
  const bytes = recordedBytes(file);
  const form: unknown = file.endsWith(".json")
    ? JSON.parse(bytes.toString())
    : decodeMessage(bytes, exportTraceServiceRequest);
  return parse(exportTraces.body, form);
};

/** The only trace of the events in a recorded export of logs, and the reasons why other log records were rejected. */
export const recordedEvents = (file: string) => {
  const request = parse(exportLogs.body, decodeMessage(recordedBytes(file), exportLogsServiceRequest));
  const { events, rejections } = exportedEvents(request);
  return { trace: tracesOfEvents(events).traces[0]?.trace, rejections };
};

/** The traces of an export request, in stored form. */
export const tracesIn = (request: ExportTracesRequest): readonly Trace[] =>
  tracesOf(exportedSpans(request).spans).traces.map(({ trace }) => mergeTrace(null, trace));

/** The only trace of an export request, in stored form. */
export const traceIn = (request: ExportTracesRequest): Trace => {
  const { spans, rejections: rejectedSpans } = exportedSpans(request);
  const { traces, rejections: unstorable } = tracesOf(spans);
  const [first, ...otherTraces] = traces;
  if (first === undefined || otherTraces.length + rejectedSpans.length + unstorable.length > 0) {
    throw new Error("A request with one trace and nothing wrong was expected.");
  }
  return mergeTrace(null, first.trace);
};
