import { millisecondsBetween } from "./instant.ts";
import { contributionsOf, type Contribution } from "./trace-totals.ts";
import type { Instant, Trace, TraceStatus } from "./trace.ts";

/** Where a piece of the document lies: its id and in how many stored parts. */
export interface Segment {
  readonly id: string;
  readonly parts: number;
}

/** A trace as lists, filters and run snapshots see it. The row is the commit: a trace without one does not exist. */
export interface TraceRow {
  readonly traceId: string;
  readonly name: string;
  readonly status: TraceStatus;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly release: string | null;
  readonly spanCount: number;
  readonly contributions: readonly Contribution[];
  /** Rises by one with every change. */
  readonly version: number;
  /** Our clock, epoch milliseconds. */
  readonly arrivedAt: number;
  readonly changedAt: number;
  /** Random, new for each life of a trace id: what belongs to a deleted life is told apart by it. */
  readonly incarnation: string;
  readonly segments: readonly Segment[];
}

/** Milliseconds from start to end; null while the trace has not ended, and when it ended before it started. */
export const latencyOf = (startedAt: Instant, endedAt: Instant | null): number | null => {
  if (endedAt === null) return null;
  const latency = millisecondsBetween(startedAt, endedAt);
  return latency < 0 ? null : latency;
};

/** The row of a trace, given what storage knows of it. */
export const rowOf = (
  trace: Trace,
  stored: Pick<TraceRow, "version" | "arrivedAt" | "changedAt" | "incarnation" | "segments">,
): TraceRow => ({
  traceId: trace.trace_id,
  name: trace.name,
  status: trace.status,
  startedAt: trace.started_at,
  endedAt: trace.ended_at,
  sessionId: trace.session_id,
  userId: trace.user_id,
  tags: trace.tags,
  environment: trace.environment,
  release: trace.release,
  spanCount: trace.spans.length,
  contributions: contributionsOf(trace.spans),
  version: stored.version,
  arrivedAt: stored.arrivedAt,
  changedAt: stored.changedAt,
  incarnation: stored.incarnation,
  segments: stored.segments,
});
