import * as v from "valibot";
import { mapConcurrently } from "../../../async/concurrency.ts";
import type { SessionScore, TraceScore } from "../../../domain/scores/score.ts";
import { sessionVersion, tracesOfVersion } from "../../../domain/scores/session-version.ts";
import { isStale } from "../../../domain/scores/staleness.ts";
import type { TraceRow } from "../../../domain/traces/row.ts";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { isLive } from "../../../dynamo/is-live.ts";
import { sessionRows } from "../../sessions/rows.ts";
import { dayOfPartition, keyOfRow, rowKeyIn } from "../../traces/keys.ts";
import { unpackRow } from "../../traces/row-codec.ts";

/** Fields of a score that identify the trace it judged and the trace's version. */
export type JudgedTrace = Pick<
  TraceScore,
  "trace_id" | "trace_version" | "trace_started_at" | "trace_partition" | "created_at"
>;

/** Fields of a score that identify the session it judged and the version of its traces. */
export type JudgedSession = Pick<SessionScore, "session_id" | "session_version">;

/**
 * Returns for each score, in order, true if its target has changed since the score was created; null when unknown. May
 * lag changes by moments.
 */
export type Staleness<JudgedTarget> = (
  project: string,
  scores: readonly JudgedTarget[],
) => Promise<readonly (boolean | null)[]>;

/**
 * Max traces of sessions that are read for one reply, 0.04 read units each: the staleness of further sessions is
 * unknown.
 */
const maxRows = 10_000;

/** Sessions that are read in parallel. */
const parallelSessions = 10;

const key = v.instance(Uint8Array);
const rowItem = v.object({ pk: key, sk: key, d: v.optional(key) });

/**
 * Determines the staleness of trace scores from the rows of the judged traces: half a read unit per trace, no document
 * reads.
 */
export const staleTraces = (database: Database, now: () => number = Date.now): Staleness<JudgedTrace> => {
  const rowText = (trace: string, startedAt: string, partition: number): string => `${trace} ${startedAt} ${partition}`;

  return async (project, scores) => {
    const keys = new Map(
      scores.flatMap(
        ({ trace_id: trace, trace_started_at: at, trace_partition: partition = 0, trace_version: version }) =>
          at === null || version === null
            ? []
            : [[rowText(trace, at, partition), rowKeyIn(project, trace, at, partition)] as const],
      ),
    );
    const rowByText = new Map<string, TraceRow>();
    const readRows = async (strongly: boolean): Promise<void> => {
      const missingKeys = [...keys].filter(([text]) => !rowByText.has(text)).map(([, key]) => key);
      for (const item of await batchGet(database, "rows", missingKeys, { strongly })) {
        const { pk, sk, d } = v.parse(rowItem, item);
        const [{ partition }, { traceId, startedAt }] = [dayOfPartition(Buffer.from(pk)), keyOfRow(sk)];
        if (d !== undefined && isLive(item, now()))
          rowByText.set(rowText(traceId, startedAt, partition), unpackRow(item));
      }
    };
    await readRows(false);
    // A strongly consistent second read finds rows that were just written.
    await readRows(true);
    return scores.map((score) => {
      const { trace_id: trace, trace_started_at: at, trace_partition: partition = 0 } = score;
      return at === null ? null : isStale(score, rowByText.get(rowText(trace, at, partition)) ?? null);
    });
  };
};

/**
 * Determines the staleness of session scores from the rows of the judged sessions: per session it reads one row more
 * than were judged.
 */
export const staleSessions = (database: Database, now: () => number = Date.now): Staleness<JudgedSession> => {
  const rows = sessionRows(database, now);

  return async (project, scores) => {
    const sizes = new Map<string, number>();
    for (const { session_id: session, session_version: version } of scores) {
      if (version !== null) sizes.set(session, Math.max(sizes.get(session) ?? 0, tracesOfVersion(version)));
    }
    let remaining = maxRows;
    const checkedSessions = [...sizes].filter(([, size]) => {
      remaining -= size + 1;
      return remaining >= 0;
    });
    const versionBySession = new Map(
      await mapConcurrently(checkedSessions, parallelSessions, async ([session, size]) => {
        const tracesOfSession = await rows.list(project, session, size + 1);
        return [session, sessionVersion(tracesOfSession)] as const;
      }),
    );
    return scores.map(({ session_id: session, session_version: version }) =>
      version === null || !versionBySession.has(session) ? null : version !== versionBySession.get(session),
    );
  };
};
