import { isTelemetryCall } from "./wrapped-calls.ts";
import type { Span } from "./trace.ts";

/** That a trace has a span of this id. */
export const spanMark = (id: string): string => `s${id}`;

/** That a trace has a span of this id which is a model's call as OpenTelemetry tells it. */
const callMark = (id: string): string => `c${id}`;

/** That a trace has such a call whose parent has this id. */
const parentMark = (id: string): string => `p${id}`;

/** What is to be known of a trace's spans, so that others can be added to it unseen. */
export const marksOf = (spans: readonly Span[]): ReadonlySet<string> => {
  const marks = new Set<string>();
  for (const span of spans) {
    const { span_id: id, parent_span_id: parent } = span;
    marks.add(spanMark(id));
    if (!isTelemetryCall(span)) continue;
    marks.add(callMark(id));
    if (parent !== null) marks.add(parentMark(parent));
  }
  return marks;
};

/**
 * Marks of a trace with any of which these spans are more than an addition to it: the trace has one of them, or has a call of
 * which one of them tells again (see `wrappedCalls`).
 */
export const marksAgainst = (spans: readonly Span[]): ReadonlySet<string> => {
  const marks = new Set<string>();
  for (const span of spans) {
    const { span_id: id, parent_span_id: parent } = span;
    marks.add(spanMark(id));
    if (!isTelemetryCall(span)) continue;
    marks.add(parentMark(id));
    if (parent !== null) marks.add(callMark(parent));
  }
  return marks;
};
