import type { TraceInput } from "../contract/traces.ts";
import type { IdentifiedTrace } from "./merge-trace.ts";

/** Gives a trace and its spans the ids their sender left out. @param mint an id for each position. */
export const identified = (sent: TraceInput, mint: (position: string) => string): IdentifiedTrace => ({
  ...sent,
  trace_id: sent.trace_id ?? mint("trace"),
  spans: sent.spans?.map((span, index) => ({ ...span, span_id: span.span_id ?? mint(`span ${index}`) })),
});
