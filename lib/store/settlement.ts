import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { instantAt } from "../domain/instant.ts";
import { settle } from "../domain/pair-bits.ts";
import { addCounts, type RunCounts } from "../domain/run.ts";
import { outcomeOf } from "../domain/run-outcome.ts";
import type { TraceScore } from "../domain/score.ts";
import { countSlice } from "../domain/slice.ts";
import type { Database } from "./database.ts";
import { cancellationReasons, isConflict } from "./failure.ts";
import type { StoredRun } from "./run-codec.ts";
import { runKey, sliceKey } from "./run-keys.ts";
import type { Runs } from "./runs.ts";
import { scoreItems } from "./score-codec.ts";
import type { StoredSlice } from "./slice-codec.ts";
import { leaseMilliseconds } from "./slices.ts";
import { rowKey } from "./trace-keys.ts";
import { traceReader, type Pointer, type StoredTrace } from "./trace-reader.ts";

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** A pair that is decided. */
export interface SettledPair {
  /** `target * metrics + metric` within the slice. */
  readonly pair: number;
  readonly failed: boolean;
  /** Its target was not there. */
  readonly missing: boolean;
  /** The score to store; null for a pair that gets none (its target is missing, or the run cannot be judged at all). */
  readonly score: TraceScore | null;
  /** Where the judged trace's row lies, which life of it was judged, and when it ends; null when there is no score. */
  readonly target: (Pointer & { readonly expiresAt: number | null }) | null;
  /** Why it failed, in words for a user; null when it did not. */
  readonly example: string | null;
}

/** The lease on a slice was lost: another worker has it, or the run was deleted. */
export class LostLease extends Error {
  constructor() {
    super("The lease on the slice was lost.");
    this.name = "LostLease";
  }
}

/** DynamoDB's limit of a transaction, less the slice and the run. */
const maxActions = 98;
const maxAttempts = 12;

/** Actions that a number of pairs takes at most: two items a score and a check of its trace. */
export const maxPairsPerCommit = Math.floor(maxActions / 3);

const exampleOf = (held: StoredSlice, pairs: readonly SettledPair[]): string | null =>
  held.slice.example ?? pairs.find(({ example }) => example !== null)?.example ?? null;

/** The pairs once scores that are there already are left out: what is stored stays. */
const withoutScores = (pairs: readonly SettledPair[], there: ReadonlySet<string>): readonly SettledPair[] =>
  pairs.map((pair) =>
    pair.score !== null && there.has(pair.score.id) ? { ...pair, score: null, target: null } : pair,
  );

/**
 * Commits settled pairs: their scores, the slice's bits and, with the slice's last pair, the run's counts and end, in
 * one transaction. A pair whose trace was deleted meanwhile is settled as missing.
 */
export const settlement = (database: Database, runs: Runs, now: () => number = Date.now) => {
  const { client, table } = database;
  const traces = traceReader(database, now);

  const checkOf = (score: TraceScore, target: Pointer): Action => ({
    ConditionCheck: {
      TableName: table("rows"),
      Key: rowKey(score.project_id, score.trace_id, target.startedAt),
      ConditionExpression: "i = :i AND attribute_exists(d)",
      ExpressionAttributeValues: { ":i": target.incarnation },
    },
  });

  const putOf = (item: Record<string, unknown>): Action => ({
    Put: { TableName: table("scores"), Item: item, ConditionExpression: "attribute_not_exists(pk)" },
  });

  const sliceUpdate = (before: StoredSlice, after: StoredSlice): Action => ({
    Update: {
      TableName: table("runs"),
      Key: sliceKey(before.slice.projectId, before.slice.runId, before.slice.id),
      UpdateExpression:
        "SET settled = :settled, failed = :failed, #missing = :missing, #state = :state, #until = :until, " +
        `fruitless = :zero${after.slice.example === null ? "" : ", example = :example"} REMOVE away_since`,
      ConditionExpression: "epoch = :epoch AND #state = :open",
      ExpressionAttributeNames: { "#state": "state", "#until": "until", "#missing": "missing" },
      ExpressionAttributeValues: {
        ":settled": after.slice.bits.settled,
        ":failed": after.slice.bits.failed,
        ":missing": after.slice.bits.missing,
        ":state": after.slice.state,
        ":until": after.until,
        ":zero": 0,
        ":epoch": before.epoch,
        ":open": "open",
        ...(after.slice.example === null ? {} : { ":example": after.slice.example }),
      },
    },
  });

  /** What the end of a slice adds to its run; the last slice ends the run. */
  const runUpdate = (stored: StoredRun, counts: RunCounts, example: string | null): Action => {
    const { order } = stored.run;
    const total = addCounts(stored.run, counts);
    const last = stored.slicesLeft === 1;
    const outcome = last ? outcomeOf(order, total, stored.example ?? example) : null;
    const sets = [
      "evaluated = :evaluated, failed = :failed, scored = :scored, #missing = :missing, slices_left = :after",
      ...(example === null ? [] : ["example = if_not_exists(example, :example)"]),
      ...(outcome === null ? [] : ["#status = :status, completed_at = :at, error_message = :message"]),
    ];
    return {
      Update: {
        TableName: table("runs"),
        Key: runKey(order.projectId, order.id),
        UpdateExpression: `SET ${sets.join(", ")}${last ? " REMOVE open_key" : ""}`,
        // Slices end one after the other: who read an older count reads again.
        ConditionExpression: "slices_left = :before AND #status IN (:pending, :running)",
        ExpressionAttributeNames: { "#status": "status", "#missing": "missing" },
        ExpressionAttributeValues: {
          ":evaluated": total.evaluated,
          ":failed": total.failed,
          ":scored": total.scored,
          ":missing": total.missing,
          ":before": stored.slicesLeft,
          ":after": stored.slicesLeft - 1,
          ":pending": "PENDING",
          ":running": "RUNNING",
          ...(example === null ? {} : { ":example": example }),
          ...(outcome === null
            ? {}
            : { ":status": outcome.status, ":at": instantAt(now()), ":message": outcome.errorMessage }),
        },
      },
    };
  };

  const writesOf = (pairs: readonly SettledPair[]) => {
    const scored = pairs.flatMap(({ score, target }) => (score === null || target === null ? [] : [{ score, target }]));
    return {
      checks: new Map(scored.map(({ score, target }) => [score.trace_id, checkOf(score, target)])),
      puts: scored.flatMap(({ score, target }) =>
        scoreItems(score, target.expiresAt).map((item) => ({ scoreId: score.id, action: putOf(item) })),
      ),
    };
  };

  /** The pairs of traces whose rows were not where they had been: moved, because their start changed, or deleted. */
  const lookAgain = async (
    pairs: readonly SettledPair[],
    elsewhere: ReadonlySet<string>,
  ): Promise<readonly SettledPair[]> => {
    const found = new Map<string, StoredTrace | null>();
    for (const { score } of pairs) {
      if (score === null || !elsewhere.has(score.trace_id) || found.has(score.trace_id)) continue;
      found.set(score.trace_id, await traces.get(score.project_id, score.trace_id));
    }
    return pairs.map((pair) => {
      if (pair.score === null || pair.target === null || !found.has(pair.score.trace_id)) return pair;
      const row = found.get(pair.score.trace_id)?.row;
      return row?.incarnation === pair.target.incarnation
        ? { ...pair, target: { ...pair.target, startedAt: row.startedAt } }
        : { ...pair, failed: true, missing: true, score: null, target: null, example: null };
    });
  };

  const after = (held: StoredSlice, pairs: readonly SettledPair[], metrics: number): StoredSlice => {
    const slice = {
      ...held.slice,
      bits: settle(held.slice.bits, metrics, pairs),
      example: exampleOf(held, pairs),
    };
    const done = countSlice(slice, metrics).evaluated === slice.targets.length;
    return {
      ...held,
      slice: { ...slice, state: done ? "done" : "open" },
      until: now() + leaseMilliseconds,
      fruitless: 0,
      awaySince: null,
    };
  };

  /**
   * @param metrics how many metrics the run has.
   * @returns the slice as it is now.
   * @throws LostLease when another worker has the slice, or its run is gone.
   */
  const commit = async (held: StoredSlice, metrics: number, pairs: readonly SettledPair[]): Promise<StoredSlice> => {
    const next = after(held, pairs, metrics);
    const ends = next.slice.state === "done";
    const { checks, puts } = writesOf(pairs);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const stored = ends ? await runs.read(held.slice.projectId, held.slice.runId) : null;
      if (ends && stored === null) throw new LostLease();
      const end = stored === null ? [] : [runUpdate(stored, countSlice(next.slice, metrics), next.slice.example)];
      const actions = [sliceUpdate(held, next), ...checks.values(), ...puts.map(({ action }) => action), ...end];
      try {
        await client.send(new TransactWriteCommand({ TransactItems: actions }));
        return next;
      } catch (error) {
        const reasons = cancellationReasons(error);
        if (reasons === null) throw error;
        const refused = (index: number): boolean => reasons[index] === "ConditionalCheckFailed";
        if (refused(0)) throw new LostLease();
        const gone = new Set([...checks.keys()].filter((_, index) => refused(1 + index)));
        const there = new Set(
          puts.filter((_, index) => refused(1 + checks.size + index)).map(({ scoreId }) => scoreId),
        );
        if (gone.size > 0 || there.size > 0) {
          return await commit(held, metrics, withoutScores(await lookAgain(pairs, gone), there));
        }
        if (!isConflict(error) && !refused(actions.length - 1)) throw error;
        await wait(Math.random() * Math.min(1000, 20 * 2 ** attempt));
      }
    }
    throw new Error("A run's counts moved at every attempt to end a slice.");
  };

  return { commit };
};

export type Settlement = ReturnType<typeof settlement>;
