import { isTelemetryCall } from "./duplicate-usage.ts";
import type { Span } from "./trace.ts";

/** Builds the filter key of traces that have a span with this id. */
export const spanKey = (id: string): string => `s${id}`;

/** Builds the filter key of traces in which the OpenTelemetry span with this id is a model call. */
const callKey = (id: string): string => `c${id}`;

/** Builds the filter key of traces that have an OpenTelemetry model call whose parent has this id. */
const parentKey = (id: string): string => `p${id}`;

/**
 * Returns the keys that the span-id filter stores for spans, so that later spans can be added without reading the
 * document.
 */
export const filterKeysOf = (spans: readonly Span[]): ReadonlySet<string> => {
  const keys = new Set<string>();
  for (const span of spans) {
    const { span_id: id, parent_span_id: parent } = span;
    keys.add(spanKey(id));
    if (!isTelemetryCall(span)) continue;
    keys.add(callKey(id));
    if (parent !== null) keys.add(parentKey(parent));
  }
  return keys;
};

/**
 * Returns the keys with which added spans conflict: if the trace has one of them, a span exists already, or reports
 * the same model call as an added one (see `duplicateUsage`).
 */
export const conflictingKeysOf = (spans: readonly Span[]): ReadonlySet<string> => {
  const keys = new Set<string>();
  for (const span of spans) {
    const { span_id: id, parent_span_id: parent } = span;
    keys.add(spanKey(id));
    if (!isTelemetryCall(span)) continue;
    keys.add(parentKey(id));
    if (parent !== null) keys.add(callKey(parent));
  }
  return keys;
};
