import { bucketOf, hourNumber, hourOf, hourText, type Granularity, type Hour } from "./bucket.ts";
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

/** Sums over some traces of one session, or over those of all sessions that began in an hour and have no other traces. */
export interface SessionFigures {
  /** Id of the session; null for all of an hour. */
  readonly id: string | null;
  /** Hour of the earliest trace of each session. */
  readonly hour: Hour;
  readonly sessions: number;
  readonly traces: number;
  /** Sessions with a finished trace. */
  readonly finished: number;
  /** Sum over the finished traces, in whole microseconds. */
  readonly duration: number;
}

/** Figures with the number of their hour, see `hourNumber`. */
type HourSum = { -readonly [Key in Exclude<keyof SessionFigures, "id" | "hour">]: number } & { first: number };

/** Creates an accumulator of traces by session; traces without a session are ignored. */
export const sessionTally = () => {
  const sessions = new Map<string, HourSum>();
  const wholeHours: HourSum[] = [];
  /** Adds sums over other traces: as adding these traces. @returns true if they are the first of a session. */
  const addFigures = ({ id, hour, ...figures }: SessionFigures): boolean => {
    const first = hourNumber(hour);
    const sum = id === null ? undefined : sessions.get(id);
    if (id === null) wholeHours.push({ ...figures, first });
    else if (sum === undefined) sessions.set(flattenText(id), { ...figures, first });
    else {
      if (first < sum.first) sum.first = first;
      sum.traces += figures.traces;
      if (figures.finished > sum.finished) sum.finished = figures.finished;
      sum.duration += figures.duration;
    }
    return id !== null && sum === undefined;
  };
  return {
    addFigures,
    /** Adds a trace. @returns true if the trace is the first of its session. */
    add: ({ sessionId: id, startedAt, latency }: Pick<ListedTrace, "sessionId" | "startedAt" | "latency">): boolean => {
      const [finished, duration] = latency === null ? [0, 0] : [1, Math.round(latency * 1000)];
      return id !== null && addFigures({ id, hour: hourOf(startedAt), sessions: 1, traces: 1, finished, duration });
    },
    /** Returns the ids of the sessions, without those of whole hours. */
    ids: (): readonly string[] => [...sessions.keys()],
    /** Returns the buckets in ascending order; empty buckets are left out. */
    buckets: (granularity: Granularity): SessionBucket[] =>
      [...Map.groupBy([...sessions.values(), ...wholeHours], ({ first }) => bucketOf(hourText(first), granularity))]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([bucket, sums]) => {
          const totalOf = (figure: keyof HourSum): number => sums.reduce((total, sum) => total + sum[figure], 0);
          const [count, finished] = [totalOf("sessions"), totalOf("finished")];
          return {
            bucket,
            session_count: count,
            avg_traces_per_session: totalOf("traces") / count,
            avg_session_duration_ms: finished === 0 ? null : totalOf("duration") / finished / 1000,
          };
        }),
  };
};
