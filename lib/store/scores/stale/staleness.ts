import * as v from "valibot";
import { sideBySide } from "../../../async/side-by-side.ts";
import type { SessionScore, TraceScore } from "../../../domain/scores/score.ts";
import { sessionVersion, tracesOfVersion } from "../../../domain/scores/session-version.ts";
import { isStale } from "../../../domain/scores/stale.ts";
import type { TraceRow } from "../../../domain/traces/row.ts";
import { batchGet } from "../../batch-get.ts";
import type { Database } from "../../database.ts";
import { isLive } from "../../is-live.ts";
import { sessionRows } from "../../sessions/rows.ts";
import { keyOfRow, rowKey } from "../../traces/keys.ts";
import { unpackRow } from "../../traces/row-codec.ts";

/** What of a score tells which trace it judged, and when. */
export type TraceSeen = Pick<TraceScore, "trace_id" | "trace_version" | "trace_started_at" | "created_at">;

/** What of a score tells which traces of which session it judged. */
export type SessionSeen = Pick<SessionScore, "session_id" | "session_version">;

/**
 * For each score whether its target has changed since it was judged, in their order; null where that is not known. May lag
 * behind changes by moments.
 */
export type Staleness<Seen> = (project: string, scores: readonly Seen[]) => Promise<readonly (boolean | null)[]>;

/** Traces of sessions that are looked at for one reply, 0.04 read units each: what would take more is not known. */
const mostRows = 10_000;

/** Sessions looked at side by side. */
const parallel = 10;

const rowItem = v.object({ sk: v.instance(Uint8Array), d: v.optional(v.instance(Uint8Array)) });

/** By the rows of the judged traces, each read once and none of their documents: half a read unit for each trace. */
export const staleTraces = (database: Database, now: () => number = Date.now): Staleness<TraceSeen> => {
  const placeOf = (trace: string, startedAt: string): string => `${trace} ${startedAt}`;

  return async (project, scores) => {
    const keys = new Map(
      scores.flatMap(({ trace_id: trace, trace_started_at: at, trace_version: version }) =>
        at === null || version === null ? [] : [[placeOf(trace, at), rowKey(project, trace, at)] as const],
      ),
    );
    const found = new Map<string, TraceRow>();
    const look = async (strongly: boolean): Promise<void> => {
      const open = [...keys].filter(([place]) => !found.has(place)).map(([, key]) => key);
      for (const item of await batchGet(database, "rows", open, { strongly })) {
        const { sk, d } = v.parse(rowItem, item);
        const { traceId, startedAt } = keyOfRow(sk);
        if (d !== undefined && isLive(item, now())) found.set(placeOf(traceId, startedAt), unpackRow(item));
      }
    };
    await look(false);
    // A row that came a moment ago is not one that went.
    await look(true);
    return scores.map((score) => {
      const { trace_id: trace, trace_started_at: at } = score;
      return at === null ? null : isStale(score, found.get(placeOf(trace, at)) ?? null);
    });
  };
};

/** By the rows of the judged sessions: as many of them as were judged, and one more. */
export const staleSessions = (database: Database, now: () => number = Date.now): Staleness<SessionSeen> => {
  const rows = sessionRows(database, now);

  return async (project, scores) => {
    const sizes = new Map<string, number>();
    for (const { session_id: session, session_version: version } of scores) {
      if (version !== null) sizes.set(session, Math.max(sizes.get(session) ?? 0, tracesOfVersion(version)));
    }
    let left = mostRows;
    const looked = [...sizes].filter(([, size]) => {
      left -= size + 1;
      return left >= 0;
    });
    const present = new Map(
      await sideBySide(looked, parallel, async ([session, size]) => {
        const found = await rows.list(project, session, size + 1);
        return [session, sessionVersion(found)] as const;
      }),
    );
    return scores.map(({ session_id: session, session_version: version }) =>
      version === null || !present.has(session) ? null : version !== present.get(session),
    );
  };
};
