import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import type { Score, SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { sessionVersion } from "../../domain/scores/session-version.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import { refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";
import type { ScoreLifetime } from "./codec.ts";
import { copyPartition, scoreOrder } from "./keys.ts";
import { sessionScores, traceScores, type ScoreKind } from "./kind.ts";
import { deletePairs } from "./pairs.ts";
import { sessionRows, type SessionTrace } from "../sessions/rows.ts";
import type { Witness } from "../traces/witness.ts";
import { rowKey, sessionPartition } from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";

/** Pauses in milliseconds before an index that knows no trace of a session is asked again: it lags behind the table. */
const pauses = [0, 100, 300];

/** Traces that are tried before the index is asked again: it may name some that are gone. */
const mostWitnesses = 10;

const heldItem = v.object({ d: v.instance(Uint8Array), i: v.optional(v.string()), bh: v.optional(v.string()) });

/** How an attempt to store a score ended; `gone`: the trace it rests on is not where it was. */
type Outcome<S> = S | "gone" | typeof again;

/** Stores scores that a person or a program sent, each with a check that what it scores is still there. */
export const scoreCreation = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const traces = traceReader(database, now);
  const rows = sessionRows(database, now);

  /** What has a score's id already: the same score of a request sent before, or of the trace's incarnation before this one. */
  const settleHeld = async <S extends Score>(
    kind: ScoreKind<S>,
    score: S,
    targetId: string,
    lifetime: ScoreLifetime,
    repeat: Repeat,
  ) => {
    const Key = kind.key(score.project_id, score.id);
    const { Item } = await client.send(new GetCommand({ TableName: table("scores"), Key, ConsistentRead: true }));
    if (Item === undefined) return null;
    const { d, i = null, bh = null } = v.parse(heldItem, Item);
    const held = kind.unpack(d);
    if (i === lifetime.incarnation) {
      repeat.met(bh);
      // As it was answered then, whatever somebody has made of it since.
      return { ...kind.seenLike(score, held), created_at: held.created_at, updated_at: held.created_at };
    }
    const pk = copyPartition(kind.target, score.project_id, targetId);
    await deletePairs(database, [{ score: Key, copy: { pk, sk: scoreOrder(held.created_at, held.id) } }], {
      ConditionExpression: "attribute_not_exists(pk) OR i = :i",
      ExpressionAttributeValues: { ":i": i },
    });
    return null;
  };

  const put = async <S extends Score>(
    kind: ScoreKind<S>,
    score: S,
    targetId: string,
    lifetime: ScoreLifetime,
    witness: Witness,
    repeat: Repeat,
  ): Promise<Outcome<S>> => {
    const [item, copy] = kind.items(score, { ...lifetime, bodyHash: repeat.bodyHash });
    const absent = { TableName: table("scores"), ConditionExpression: "attribute_not_exists(pk)" };
    const check = {
      TableName: table("rows"),
      Key: rowKey(score.project_id, witness.traceId, witness.startedAt),
      ConditionExpression: `i = :i AND attribute_exists(d)${kind.target === "session" ? " AND s = :s" : ""}`,
      ExpressionAttributeValues: {
        ":i": witness.incarnation,
        ...(kind.target === "session" ? { ":s": sessionPartition(score.project_id, targetId) } : {}),
      },
    };
    const refused = await refusedActions(
      client.send(
        new TransactWriteCommand({
          TransactItems: [
            { ConditionCheck: check },
            { Put: { Item: item, ...absent } },
            { Put: { Item: copy, ...absent } },
          ],
        }),
      ),
    );
    if (refused.size === 0) return score;
    return refused.has(0) ? "gone" : ((await settleHeld(kind, score, targetId, lifetime, repeat)) ?? again);
  };

  /** Traces of a session. */
  const tracesOf = async (project: string, session: string): Promise<readonly SessionTrace[]> => {
    for (const pause of pauses) {
      if (pause > 0) await wait(pause);
      const found = await rows.list(project, session);
      if (found.length > 0) return found;
    }
    return [];
  };

  const untilStored = <S>(store: () => Promise<Outcome<S> | null>): Promise<S | null> =>
    attempts(patience.request, unavailable("The trace is being changed by many requests. Try again."), async () => {
      const outcome = await store();
      return outcome === "gone" ? again : outcome;
    });

  return {
    /**
     * Stores a trace's score; the environment is the trace's, it is of the trace's version now, and it expires with the trace.
     * Stored once under its id.
     *
     * @returns the score as it was stored, now or by the request that came before; null when there is no such trace.
     */
    ofTrace: (
      score: Omit<TraceScore, "environment" | "trace_version" | "trace_started_at">,
      repeat = unrepeated,
    ): Promise<TraceScore | null> =>
      untilStored(async () => {
        const found = await traces.locate(score.project_id, score.trace_id);
        if (found === null) return null;
        const { traceId, startedAt, incarnation, environment, version } = found.row;
        const seen = { environment, trace_version: version, trace_started_at: startedAt };
        const lifetime = { incarnation, expiresAt: found.expiresAt };
        const witness = { traceId, startedAt, ...lifetime };
        return await put(traceScores, { ...score, ...seen }, score.trace_id, lifetime, witness, repeat);
      }),

    /**
     * Stores a session's score, which expires with the trace of the session that is kept longest.
     *
     * @returns the score that is stored; null when the session has no traces.
     */
    ofSession: (
      score: Omit<SessionScore, "session_version" | "signals">,
      repeat = unrepeated,
    ): Promise<SessionScore | null> =>
      untilStored(async () => {
        const found = await tracesOf(score.project_id, score.session_id);
        const seen = { session_version: sessionVersion(found), signals: null };
        const witnesses = found.toSorted((a, b) => (b.expiresAt ?? Infinity) - (a.expiresAt ?? Infinity) || 0);
        for (const witness of witnesses.slice(0, mostWitnesses)) {
          const lifetime = { incarnation: null, expiresAt: witness.expiresAt };
          const outcome = await put(sessionScores, { ...score, ...seen }, score.session_id, lifetime, witness, repeat);
          if (outcome !== "gone") return outcome;
        }
        return witnesses.length === 0 ? null : "gone";
      }),
  };
};
