import { bucketOf, hourNumber, hourOf, hourText, type Granularity } from "./bucket.ts";
import { flatText } from "../flat-text.ts";
import type { ListedTrace } from "../traces/row.ts";
import type { Instant } from "../instant.ts";

/** Sessions whose first trace in the range started in a bucket. */
interface SessionBucket {
  readonly bucket: Instant;
  readonly session_count: number;
  readonly avg_traces_per_session: number;
  /** Of the sessions with a trace that has ended; null when there is none. */
  readonly avg_session_duration_ms: number | null;
}

interface SessionSum {
  /** Hour in which the first of them started, see `hourNumber`. */
  first: number;
  traces: number;
  /** Of the traces that have ended, in whole microseconds; null when none has. */
  duration: number | null;
}

/** Adds traces up by session; those without one are not counted. */
export const sessionTally = () => {
  const sessions = new Map<string, SessionSum>();
  return {
    /** @returns whether the trace is the first of its session. */
    add: ({ sessionId, startedAt, latency }: Pick<ListedTrace, "sessionId" | "startedAt" | "latency">): boolean => {
      if (sessionId === null) return false;
      const hour = hourNumber(hourOf(startedAt));
      const before = sessions.get(sessionId);
      const sum = before ?? { first: hour, traces: 0, duration: null };
      if (hour < sum.first) sum.first = hour;
      sum.traces += 1;
      if (latency !== null) sum.duration = (sum.duration ?? 0) + Math.round(latency * 1000);
      if (before === undefined) sessions.set(flatText(sessionId), sum);
      return before === undefined;
    },
    /** Ascending; buckets without a session are left out. */
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
