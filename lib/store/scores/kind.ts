import type { Score, SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { scoreItems, sessionScoreItems, unpackScore, unpackSessionScore, type ScoreLifetime } from "./codec.ts";
import type { Database } from "../database.ts";
import { scoreKey, sessionScoreKey, type ScoreTarget } from "./keys.ts";
import { staleSessions, staleTraces, type Staleness } from "./stale/staleness.ts";

/** What tells the scores of traces and those of sessions apart in storage. */
export interface ScoreKind<S extends Score> {
  readonly target: ScoreTarget;
  readonly key: typeof scoreKey;
  readonly unpack: (value: unknown) => S;
  readonly staleness: (database: Database, now: () => number) => Staleness<S>;
  /** The score and its copy. */
  readonly items: (score: S, lifetime: ScoreLifetime) => ReturnType<typeof scoreItems>;
  /** A score that is of what another one was of, as that was when it was made. */
  readonly seenLike: (score: S, other: S) => S;
}

export const traceScores: ScoreKind<TraceScore> = {
  target: "trace",
  key: scoreKey,
  unpack: unpackScore,
  staleness: staleTraces,
  items: scoreItems,
  seenLike: (score, { environment, trace_version, trace_started_at }) => ({
    ...score,
    environment,
    trace_version,
    trace_started_at,
  }),
};

export const sessionScores: ScoreKind<SessionScore> = {
  target: "session",
  key: sessionScoreKey,
  unpack: unpackSessionScore,
  staleness: staleSessions,
  items: (score, { expiresAt, bodyHash }) => sessionScoreItems(score, expiresAt, bodyHash),
  seenLike: (score, { session_version }) => ({ ...score, session_version }),
};
