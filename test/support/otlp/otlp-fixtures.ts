import { readFileSync } from "node:fs";
import { parse } from "valibot";
import { exportTraces, type ExportTracesRequest } from "../../../lib/contract/otlp/export-traces.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { decodeMessage } from "../../../lib/otlp/wire/decode-message.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { exportTraceServiceRequest } from "../../../lib/otlp/wire/protobuf-messages.ts";
import { tracesOf } from "../../../lib/otlp/traces/traces-of.ts";

/** Bytes sent by an exporter, as recorded by `test/otlp-recorder/record.ts`. */
export const recordedBytes = (file: string): Buffer =>
  readFileSync(new URL(`../../fixtures/otlp/${file}`, import.meta.url));

/** A recorded export request, decoded. */
export const recordedRequest = (file: string): ExportTracesRequest => {
  const bytes = recordedBytes(file);
  const form: unknown = file.endsWith(".pb")
    ? decodeMessage(bytes, exportTraceServiceRequest)
    : JSON.parse(bytes.toString());
  return parse(exportTraces.body, form);
};

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
