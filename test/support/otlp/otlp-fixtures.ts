import { readFileSync } from "node:fs";
import { parse } from "valibot";
import { exportTraces, type ExportRequest } from "../../../lib/contract/otlp/export-traces.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { decodeMessage } from "../../../lib/otlp/decode-message.ts";
import { exportedSpans } from "../../../lib/otlp/exported-span.ts";
import { exportTraceServiceRequest } from "../../../lib/otlp/messages.ts";
import { tracesOf } from "../../../lib/otlp/traces-of.ts";

/** What an exporter sent, as `test/otlp-recorder/record.ts` recorded it. */
export const recordedBytes = (file: string): Buffer =>
  readFileSync(new URL(`../../fixtures/otlp/${file}`, import.meta.url));

/** The same, decoded. */
export const recordedRequest = (file: string): ExportRequest => {
  const bytes = recordedBytes(file);
  const form: unknown = file.endsWith(".pb")
    ? decodeMessage(bytes, exportTraceServiceRequest)
    : JSON.parse(bytes.toString());
  return parse(exportTraces.body, form);
};

/** The one trace of a request, as it would be stored. */
export const traceIn = (request: ExportRequest): Trace => {
  const { spans, refused } = exportedSpans(request);
  const { traces, refused: unstorable } = tracesOf(spans);
  const [first, ...others] = traces;
  if (first === undefined || others.length + refused.length + unstorable.length > 0) {
    throw new Error("A request with one trace and nothing wrong was expected.");
  }
  return mergeTrace(null, first.trace);
};
