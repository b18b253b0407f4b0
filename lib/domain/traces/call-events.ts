import { logEventsOf } from "./log-events.ts";
import type { IdentifiedSpan } from "./input.ts";
import type { Span } from "./trace.ts";

/** Metadata key of a span for the id of its tool or model call. */
export const callIdKey = "otel.call_id";

/** True if a span is completed by log events of other spans, or has events that complete others. */
export const sharesCalls = ({ metadata = {} }: Pick<IdentifiedSpan, "metadata">): boolean =>
  metadata[callIdKey] !== undefined || logEventsOf({ metadata }).some(({ call }) => call !== undefined);

/** Adds to each tool and model call what log events of other spans tell of it. Values that a span has itself are kept. */
export const withCallEvents = (spans: readonly Span[]): readonly Span[] => {
  const events = spans.flatMap(logEventsOf);
  const calls = new Map(events.flatMap(({ call }) => (call === undefined ? [] : [[call.id, call] as const])));
  if (calls.size === 0) return spans;
  return spans.map((span) => {
    const id = span.metadata[callIdKey];
    const call = typeof id === "string" ? calls.get(id) : undefined;
    return call === undefined
      ? span
      : {
          ...span,
          input: span.input ?? call.input ?? null,
          output: span.output ?? call.output ?? null,
          cost: span.cost ?? call.cost ?? null,
        };
  });
};
