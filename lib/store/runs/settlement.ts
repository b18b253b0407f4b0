import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { addUsage } from "../../domain/runs/judge-usage.ts";
import { settle } from "../../domain/runs/pair-bits.ts";
import { countSlice } from "../../domain/runs/slice.ts";
import { again, attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import { refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";
import type { Runs } from "./runs.ts";
import type { SessionRows } from "../sessions/rows.ts";
import type { Settled, WitnessedScore } from "./settled.ts";
import type { Witness } from "../traces/witness.ts";
import { settlementWrites } from "./settlement-writes.ts";
import type { StoredSlice } from "./slice-codec.ts";
import { leaseMilliseconds } from "./slices.ts";
import { traceReader } from "../traces/reader.ts";

/** The lease on a slice was lost: another worker has it, or the run was deleted. */
export class LostLease extends Error {
  constructor() {
    super("The lease on the slice was lost.");
    this.name = "LostLease";
  }
}

/** DynamoDB's limit of a transaction, less the slice and the run. */
const maxActions = 98;

/** What one commit takes at most: two items a score and the check of its witness. */
export const maxPerCommit = Math.floor(maxActions / 3);

/** What is settled once scores that are there already are left out: what is stored stays. */
const withoutScores = (all: readonly Settled[], there: ReadonlySet<string>): readonly Settled[] =>
  all.map((one) => (one.stored !== null && there.has(one.stored.score.id) ? { ...one, stored: null } : one));

/** The same without its score, because what was judged is gone. */
const gone = (one: Settled): Settled =>
  one.kind === "signal"
    ? { ...one, stored: null }
    : { ...one, failed: true, missing: true, stored: null, example: null };

/**
 * Commits what is settled: the scores, the slice's bits and, with the slice's last pair, the run's counts and end, in one
 * transaction. A pair whose target was deleted meanwhile is settled as missing.
 */
export const settlement = (
  database: Database,
  { runs, sessions }: { readonly runs: Runs; readonly sessions: SessionRows },
  now: () => number = Date.now,
) => {
  const traces = traceReader(database, now);
  const writes = settlementWrites(database, now);

  /** Where a score's witness is now; null when what was judged is gone. */
  const found = async ({ score, witness }: WitnessedScore): Promise<Witness | null> => {
    if ("session_id" in score) {
      const other = await sessions.witness(score.project_id, score.session_id);
      return other === null ? null : { ...other, expiresAt: witness.expiresAt };
    }
    const row = (await traces.locate(score.project_id, score.trace_id))?.row;
    return row?.incarnation === witness.incarnation ? { ...witness, startedAt: row.startedAt } : null;
  };

  /** What rests on rows that were not where they had been: moved, because their start changed, or deleted. */
  const lookAgain = async (all: readonly Settled[], elsewhere: ReadonlySet<string>): Promise<readonly Settled[]> => {
    const known = new Map<string, Witness | null>();
    const again: Settled[] = [];
    for (const one of all) {
      const { stored } = one;
      if (stored === null || !elsewhere.has(stored.witness.traceId)) {
        again.push(one);
        continue;
      }
      const { score } = stored;
      const target = JSON.stringify("session_id" in score ? [score.session_id] : score.trace_id);
      const witness = known.has(target) ? known.get(target) : await found(stored);
      known.set(target, witness ?? null);
      again.push(witness ? { ...one, stored: { score, witness } } : gone(one));
    }
    return again;
  };

  const after = (held: StoredSlice, all: readonly Settled[], metrics: number): StoredSlice => {
    const pairs = all.filter((one) => one.kind === "pair");
    const slice = {
      ...held.slice,
      bits: settle(held.slice.bits, metrics, pairs),
      example: held.slice.example ?? pairs.find(({ example }) => example !== null)?.example ?? null,
      scoreless: pairs.some(({ scoreless }) => scoreless) || held.slice.scoreless,
      usage: all.map(({ usage }) => usage).reduce(addUsage, held.slice.usage),
    };
    const done = countSlice(slice, metrics).evaluated === slice.targets.length;
    return {
      ...held,
      slice: { ...slice, state: done ? "done" : "open" },
      until: now() + leaseMilliseconds,
      commits: held.commits + 1,
      fruitless: 0,
      awaySince: null,
      waiting: null,
    };
  };

  /**
   * @param metrics how many metrics the run has.
   * @returns the slice as it is now.
   * @throws LostLease when another worker has the slice, or its run is gone. When DynamoDB has no capacity for it
   *   (`isThrottled`) nothing was committed, and a part of it may still be.
   */
  const commit = async (held: StoredSlice, metrics: number, all: readonly Settled[]): Promise<StoredSlice> => {
    let next = after(held, all, metrics);
    const ends = next.slice.state === "done";
    const scores = all.flatMap(({ stored }) => stored ?? []);
    const checks = new Map(scores.map((stored) => [stored.witness.traceId, writes.check(stored)]));
    const puts = scores.flatMap((stored) =>
      writes.puts(stored).map((action) => ({ scoreId: stored.score.id, action })),
    );
    const runAt = 1 + checks.size + puts.length;
    const countsMoved = contended("A run's counts moved at every attempt to end a slice.");
    const refused = await attempts(patience.worker, countsMoved, async () => {
      const stored = ends ? await runs.read(held.slice.projectId, held.slice.runId) : null;
      if (ends && stored === null) throw new LostLease();
      // An attempt may have waited: the lease begins with the one that is made.
      next = after(held, all, metrics);
      const end = stored === null ? [] : [writes.run(stored, next.slice, countSlice(next.slice, metrics))];
      const actions = [writes.slice(held, next), ...checks.values(), ...puts.map(({ action }) => action), ...end];
      const found = await refusedActions(database.client.send(new TransactWriteCommand({ TransactItems: actions })));
      // The run's counts alone have moved: another slice of it has ended.
      return found.size === 1 && found.has(runAt) ? again : found;
    });
    if (refused.size === 0) return next;
    if (refused.has(0)) throw new LostLease();
    const moved = new Set([...checks.keys()].filter((_, index) => refused.has(1 + index)));
    const there = new Set(
      puts.filter((_, index) => refused.has(1 + checks.size + index)).map(({ scoreId }) => scoreId),
    );
    return await commit(held, metrics, withoutScores(await lookAgain(all, moved), there));
  };

  return { commit };
};

export type Settlement = ReturnType<typeof settlement>;
