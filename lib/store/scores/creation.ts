import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { requestMemo } from "../../async/request-memo.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { Score, SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { sessionVersion } from "../../domain/scores/session-version.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import type { ScoreLifetime } from "./codec.ts";
import { copyPartition, scoreOrder } from "./keys.ts";
import { sessionScoreKind, traceScoreKind, type ScoreKind } from "./kind.ts";
import { deletePairs } from "./pairs.ts";
import { sessionRows, type SessionTrace } from "../sessions/rows.ts";
import type { IncarnationCheck } from "../traces/incarnation-check.ts";
import { partitionIn, rowKey, sessionPartition } from "../traces/keys.ts";
import { traceReader, type StoredRow } from "../traces/reader.ts";

/**
 * Pauses in milliseconds before retries of an index read that found no trace of a session, because the index lags
 * behind the table.
 */
const pauses = [0, 100, 300];

/** Max traces that are tried before the index is read again: it can list deleted traces. */
const maxCheckedTraces = 10;

const existingItem = v.object({ d: v.instance(Uint8Array), i: v.optional(v.string()), bh: v.optional(v.string()) });

/** Result of an attempt to store a score; `gone`: the scored trace was moved or deleted. */
type PutOutcome<S> = S | "gone" | typeof tryAgain;

/** Rows of scored traces, read once for all scores of a request: each score is stored on condition that its trace still exists. */
const scoredRows = requestMemo<StoredRow | null>();

/** Fields of a score that it gets from its trace. */
type TargetField = "environment" | "trace_version" | "content_version" | "trace_started_at" | "trace_partition";

/** Stores scores sent by users or programs, each on condition that the scored trace or session still exists. */
export const scoreCreation = (database: Database, now: () => number = Date.now) => {
  const scores = itemsOf(database, "scores");
  const traces = traceReader(database, now);
  const rows = sessionRows(database, now);

  /**
   * Handles an existing score with the same id: returns it when an earlier delivery of the request created it,
   * lets the check refuse one of another target, or deletes it when it belongs to an earlier incarnation of the trace.
   */
  const resolveExisting = async <S extends Score>(
    kind: ScoreKind<S>,
    score: S,
    targetId: string,
    lifetime: ScoreLifetime,
    repeat: IdempotencyCheck,
  ) => {
    const key = kind.key(score.project_id, score.id);
    const item = await scores.get(key);
    if (item === undefined) return null;
    const { d, i = null, bh = null } = v.parse(existingItem, item);
    const existing = kind.unpack(d);
    if (i === lifetime.incarnation || kind.targetIdOf(existing) !== targetId) {
      repeat.checkReplay(bh);
      // A repeated request gets the original response, even if the score has changed since.
      return {
        ...kind.withTargetOf(score, existing),
        created_at: existing.created_at,
        updated_at: existing.created_at,
      };
    }
    const pk = copyPartition(kind.target, score.project_id, targetId);
    await deletePairs(database, [{ score: key, copy: { pk, sk: scoreOrder(existing.created_at, existing.id) } }], {
      when: "attribute_not_exists(pk) OR i = :i",
      values: { ":i": i },
    });
    return null;
  };

  const put = async <S extends Score>(
    kind: ScoreKind<S>,
    score: S,
    targetId: string,
    lifetime: ScoreLifetime,
    incarnationCheck: IncarnationCheck,
    repeat: IdempotencyCheck,
  ): Promise<PutOutcome<S>> => {
    const [item, copy] = kind.items(score, { ...lifetime, bodyHash: repeat.bodyHash });
    const incarnationCondition = {
      table: "rows",
      check: rowKey(score.project_id, incarnationCheck.traceId, incarnationCheck),
      when: `i = :i AND attribute_exists(d)${kind.target === "session" ? " AND s = :s" : ""}`,
      values: { ":i": incarnationCheck.incarnation, ":s": sessionPartition(score.project_id, targetId) },
    } as const;
    const failedWrites = await failedConditions(
      scores.transact([incarnationCondition, { put: item, when: ifAbsent }, { put: copy, when: ifAbsent }]),
    );
    if (failedWrites.size === 0) return score;
    return failedWrites.has(0)
      ? "gone"
      : ((await resolveExisting(kind, score, targetId, lifetime, repeat)) ?? tryAgain);
  };

  /** Lists traces of a session. */
  const tracesOf = async (project: string, session: string): Promise<readonly SessionTrace[]> => {
    for (const pause of pauses) {
      if (pause > 0) await wait(pause);
      const traces = await rows.list(project, session);
      if (traces.length > 0) return traces;
    }
    return [];
  };

  const retryUntilStored = <S>(store: () => Promise<PutOutcome<S> | null>): Promise<S | null> =>
    withRetries(
      requestRetryPolicy,
      throwUnavailable("The trace is being changed by many requests. Try again."),
      async () => {
        const outcome = await store();
        return outcome === "gone" ? tryAgain : outcome;
      },
    );

  return {
    /**
     * Stores a score of a trace, at most once per id. It gets the trace's environment and current version, and
     * expires with the trace.
     *
     * @param judgesTrace false for a score of something that later changes of the trace do not affect: it is never stale.
     * @param content content that the trace must still have; any if absent.
     * @returns the stored score, also of an earlier delivery of the request; null when the trace does not exist, or has other content.
     */
    ofTrace: (
      score: Omit<TraceScore, TargetField>,
      repeat = noIdempotency,
      judgesTrace = true,
      content?: { readonly incarnation: string; readonly version: number },
    ): Promise<TraceScore | null> =>
      retryUntilStored(async () => {
        const key = `${score.project_id} ${score.trace_id}`;
        const located = await scoredRows.get(key, () => traces.locate(score.project_id, score.trace_id));
        if (located === null) {
          scoredRows.forget(key);
          return null;
        }
        const { traceId, startedAt, incarnation, environment, version, contentVersion } = located.row;
        if (content !== undefined && (content.incarnation !== incarnation || content.version !== contentVersion))
          return null;
        const targetFields = {
          environment,
          trace_version: judgesTrace ? version : null,
          content_version: judgesTrace ? contentVersion : null,
          trace_started_at: startedAt,
          trace_partition: partitionIn(incarnation) || undefined,
        };
        const lifetime = { incarnation, expiresAt: located.expiresAt };
        const check = { traceId, startedAt, ...lifetime };
        const scored = { ...score, ...targetFields };
        const outcome = await put(traceScoreKind, scored, score.trace_id, lifetime, check, repeat);
        if (outcome === "gone") scoredRows.forget(key);
        return outcome;
      }),

    /**
     * Stores a score of a session, which expires with the session's trace that expires last.
     *
     * @returns the stored score; null when the session has no traces.
     */
    ofSession: (
      score: Omit<SessionScore, "session_version" | "signals">,
      repeat = noIdempotency,
    ): Promise<SessionScore | null> =>
      retryUntilStored(async () => {
        const tracesOfSession = await tracesOf(score.project_id, score.session_id);
        const targetFields = { session_version: sessionVersion(tracesOfSession), signals: null };
        const candidates = tracesOfSession.toSorted(
          (a, b) => (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity) || 0,
        );
        for (const candidate of candidates.slice(0, maxCheckedTraces)) {
          const lifetime = { incarnation: null, expiresAt: candidate.expiresAt };
          const outcome = await put(
            sessionScoreKind,
            { ...score, ...targetFields },
            score.session_id,
            lifetime,
            candidate,
            repeat,
          );
          if (outcome !== "gone") return outcome;
        }
        return candidates.length === 0 ? null : "gone";
      }),
  };
};
