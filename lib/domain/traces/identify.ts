import type { IdentifiedSpan, IdentifiedTrace, SpanInput, TraceInput } from "./input.ts";

/** Fills in missing span ids. @param mint returns the id for a position, `span <index>`. */
export const withSpanIds = (
  input: readonly SpanInput[],
  mint: (position: string) => string,
): readonly IdentifiedSpan[] =>
  input.map((span, index) => ({ ...span, span_id: span.span_id ?? mint(`span ${index}`) }));

/**
 * Fills in missing ids of a trace and its spans.
 *
 * @param mint returns the id for a position, `trace` or `span <index>`.
 */
export const withIds = (input: TraceInput, mint: (position: string) => string): IdentifiedTrace => ({
  ...input,
  trace_id: input.trace_id ?? mint("trace"),
  spans: input.spans === undefined ? undefined : withSpanIds(input.spans, mint),
});
