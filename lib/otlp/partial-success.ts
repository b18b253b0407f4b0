import type { ExportResponse } from "../contract/otlp/export-traces.ts";

/** The reply to an export, given a reason for each span that was not taken: each reason is given once. */
export const partialSuccess = (reasons: readonly string[]): ExportResponse =>
  reasons.length === 0
    ? {}
    : { partialSuccess: { rejectedSpans: String(reasons.length), errorMessage: [...new Set(reasons)].join(" ") } };
