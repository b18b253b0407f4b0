import type { Score, SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { scoreItems, sessionScoreItems, unpackScore, unpackSessionScore, type ScoreLifetime } from "./codec.ts";
import type { Database } from "../../dynamo/database.ts";
import { scoreKey, sessionScoreKey, type ScoreTarget } from "./keys.ts";
import { staleSessions, staleTraces, type Staleness } from "./stale/staleness.ts";

/** Functions that differ between scores of traces and scores of sessions. */
export interface ScoreKind<S extends Score> {
  readonly target: ScoreTarget;
  readonly key: typeof scoreKey;
  readonly unpack: (value: unknown) => S;
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
  staleness: staleTraces,
  items: scoreItems,
  withTargetOf: (score, { environment, trace_version, trace_started_at }) => ({
    ...score,
    environment,
    trace_version,
    trace_started_at,
  }),
};

/** Functions for scores of sessions. */
export const sessionScoreKind: ScoreKind<SessionScore> = {
  target: "session",
  key: sessionScoreKey,
  unpack: unpackSessionScore,
  staleness: staleSessions,
  items: (score, { expiresAt, bodyHash }) => sessionScoreItems(score, expiresAt, bodyHash),
  withTargetOf: (score, { session_version }) => ({ ...score, session_version }),
};
