import { bucketOf, hourNumber, hourOf, hourText, type Granularity } from "./bucket.ts";
import { flattenText } from "../text.ts";
import type { ListedTrace } from "../traces/row.ts";
import type { Instant } from "../instant.ts";

/** Sessions by the bucket in which their first trace of the range started. */
interface SessionBucket {
  readonly bucket: Instant;
  readonly session_count: number;
  readonly avg_traces_per_session: number;
  /** Average over the sessions with a finished trace; null if there is none. */
  readonly avg_session_duration_ms: number | null;
}

interface SessionSum {
  /** Hour number of the earliest trace, see `hourNumber`. */
  first: number;
  traces: number;
  /** Sum over the finished traces, in whole microseconds; null if there is none. */
  duration: number | null;
}

/** Creates an accumulator of traces by session; traces without a session are ignored. */
export const sessionTally = () => {
  const sessions = new Map<string, SessionSum>();
  return {
    /** Adds a trace. @returns true if the trace is the first of its session. */
    add: ({ sessionId, startedAt, latency }: Pick<ListedTrace, "sessionId" | "startedAt" | "latency">): boolean => {
      if (sessionId === null) return false;
      const hour = hourNumber(hourOf(startedAt));
      const existingSum = sessions.get(sessionId);
      const sum = existingSum ?? { first: hour, traces: 0, duration: null };
      if (hour < sum.first) sum.first = hour;
      sum.traces += 1;
      if (latency !== null) sum.duration = (sum.duration ?? 0) + Math.round(latency * 1000);
      if (existingSum === undefined) sessions.set(flattenText(sessionId), sum);
      return existingSum === undefined;
    },
    /** Returns the buckets in ascending order; empty buckets are left out. */
    buckets: (granularity: Granularity): SessionBucket[] =>
      [...Map.groupBy(sessions.values(), ({ first }) => bucketOf(hourText(first), granularity))]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([bucket, sums]) => {
          const durations = sums.flatMap(({ duration }) => (duration === null ? [] : [duration]));
          return {
            bucket,
            session_count: sums.length,
            avg_traces_per_session: sums.reduce((total, { traces }) => total + traces, 0) / sums.length,
            avg_session_duration_ms:
              durations.length === 0
                ? null
                : durations.reduce((total, duration) => total + duration, 0) / durations.length / 1000,
          };
        }),
  };
};
