import type { Score, SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { scoreItems, sessionScoreItems, unpackScore, unpackSessionScore, type ScoreLifetime } from "./codec.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Item } from "../../dynamo/items.ts";
import { idOfCopy, scoreKey, sessionScoreKey, type ScoreTarget } from "./keys.ts";
import { staleSessions, staleTraces, type Staleness } from "./stale/staleness.ts";

/** Functions that differ between scores of traces and scores of sessions. */
export interface ScoreKind<S extends Score> {
  readonly target: ScoreTarget;
  readonly key: typeof scoreKey;
  readonly unpack: (value: unknown) => S;
  /** Returns the incarnation of the trace, or the id of the session, that a stored score or its copy belongs to. */
  readonly targetOf: (item: Item) => unknown;
  /** Returns the id of the trace or session that a score is about. */
  readonly targetIdOf: (score: S) => string;
  readonly staleness: (database: Database, now: () => number) => Staleness<S>;
  /** Items of a score and its copy. */
  readonly items: (score: S, lifetime: ScoreLifetime) => ReturnType<typeof scoreItems>;
  /** Returns `score` with the fields about its target (such as the judged version) taken from `source`. */
  readonly withTargetOf: (score: S, source: S) => S;
}

/** Functions for scores of traces. */
export const traceScoreKind: ScoreKind<TraceScore> = {
  target: "trace",
  key: scoreKey,
  unpack: unpackScore,
  targetOf: ({ i: incarnation }) => incarnation,
  targetIdOf: ({ trace_id: id }) => id,
  staleness: staleTraces,
  items: scoreItems,
  withTargetOf: (score, { environment, trace_version, content_version, trace_started_at, trace_partition }) => ({
    ...score,
    environment,
    trace_version,
    content_version,
    trace_started_at,
    trace_partition,
  }),
};

/** Functions for scores of sessions. */
export const sessionScoreKind: ScoreKind<SessionScore> = {
  target: "session",
  key: sessionScoreKey,
  unpack: unpackSessionScore,
  // The partition of a copy has the session's id.
  targetOf: ({ t: session, pk }) => session ?? idOfCopy(String(pk)),
  targetIdOf: ({ session_id: id }) => id,
  staleness: staleSessions,
  items: (score, { expiresAt, bodyHash }) => sessionScoreItems(score, expiresAt, bodyHash),
  withTargetOf: (score, { session_version }) => ({ ...score, session_version }),
};
