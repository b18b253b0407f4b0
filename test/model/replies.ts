import { shownCost } from "./cost.ts";
import { computed } from "./differences.ts";
import { latency, timestampOf, type Micros } from "./instant.ts";
import { sorted } from "./order.ts";
import { firstError, hasFailure, spansOf, tokens, usageOf } from "./totals.ts";
import type { ModelSpan, ModelTrace } from "./trace.ts";

export const shownOrNull = (at: Micros | null): string | null => (at === null ? null : timestampOf(at));

/** A span in the format of replies. */
export const spanReply = (traceId: string, span: ModelSpan): object => ({
  ...span.fields,
  cost: shownCost(span, computed),
  span_id: span.spanId,
  trace_id: traceId,
  parent_span_id: span.parent,
  started_at: timestampOf(span.startedAt),
  ended_at: shownOrNull(span.endedAt),
  completion_start_time: shownOrNull(span.completionStartedAt),
  latency_ms: computed(latency(span.startedAt, span.endedAt)),
  time_to_first_token_ms: computed(latency(span.startedAt, span.completionStartedAt)),
});

const summary = (trace: ModelTrace) => {
  const usage = usageOf(spansOf([trace]));
  return {
    trace_id: trace.traceId,
    name: trace.name,
    status: trace.status,
    started_at: timestampOf(trace.startedAt),
    ended_at: shownOrNull(trace.endedAt),
    session_id: trace.session,
    user_id: trace.user,
    tags: trace.tags,
    environment: trace.environment,
    release: trace.release,
    total_tokens: tokens(usage),
    total_cost: computed(usage.cost),
    unpriced_tokens: usage.unpriced,
  };
};

/** A trace in the format of its detail reply. */
export const traceReply = (project: unknown, trace: ModelTrace): object => ({
  ...summary(trace),
  project_id: project,
  input: trace.input,
  output: trace.output,
  metadata: trace.metadata,
  spans: sorted(
    [...trace.spans.values()],
    "asc",
    ({ startedAt }) => startedAt,
    ({ spanId }) => spanId,
  ).map((span) => spanReply(trace.traceId, span)),
});

/** A trace in the format of list replies. */
export const listItem = (trace: ModelTrace): object => ({
  ...summary(trace),
  ...(firstError(trace) !== undefined && { first_error: firstError(trace) }),
  latency_ms: computed(latency(trace.startedAt, trace.endedAt)),
  span_count: trace.spans.size,
  has_failed_span: hasFailure(trace),
});
