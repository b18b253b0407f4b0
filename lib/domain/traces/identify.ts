import type { IdentifiedSpan, IdentifiedTrace, SpanInput, TraceInput } from "./input.ts";

/** Gives spans the ids their sender left out. @param mint an id for each position. */
export const identifiedSpans = (
  sent: readonly SpanInput[],
  mint: (position: string) => string,
): readonly IdentifiedSpan[] =>
  sent.map((span, index) => ({ ...span, span_id: span.span_id ?? mint(`span ${index}`) }));

/** Gives a trace and its spans the ids their sender left out. @param mint an id for each position. */
export const identified = (sent: TraceInput, mint: (position: string) => string): IdentifiedTrace => ({
  ...sent,
  trace_id: sent.trace_id ?? mint("trace"),
  spans: sent.spans === undefined ? undefined : identifiedSpans(sent.spans, mint),
});
