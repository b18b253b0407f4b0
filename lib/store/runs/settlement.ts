import { addUsage, usageOfMetric, type JudgeUsage } from "../../domain/runs/run.ts";
import { isSettled, settlePairs } from "../../domain/runs/pair-bits.ts";
import { countsOfSlice } from "../../domain/runs/slice.ts";
import { tryAgain, withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { itemsOf, type Write } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { maxCascadeActions, maxCommitActions } from "./commit-size.ts";
import { countCost } from "./count-cost.ts";
import { heldRemoval, type HeldItem } from "./held-judgements.ts";
import type { Runs } from "./runs.ts";
import type { SessionRows } from "../sessions/rows.ts";
import type { Settled, CheckedScore } from "./settled-pairs.ts";
import type { IncarnationCheck } from "../traces/incarnation-check.ts";
import { settlementWrites } from "./settlement-writes.ts";
import type { StoredSlice } from "./slice-codec.ts";
import { leaseMilliseconds } from "./slices.ts";
import { traceReader } from "../traces/reader.ts";

/** Thrown when the lease on a slice was lost: another worker has it, or the run was deleted. */
export class LostLease extends Error {
  constructor() {
    super("The lease on the slice was lost.");
    this.name = "LostLease";
  }
}

/** Removes the scores that already exist from their settled pairs, because stored scores are not replaced. */
const withoutScores = (settled: readonly Settled[], storedIds: ReadonlySet<string>): readonly Settled[] =>
  settled.map((pair) =>
    pair.checkedScore !== null && storedIds.has(pair.checkedScore.score.id) ? { ...pair, checkedScore: null } : pair,
  );

/** Returns a settled pair that is marked as missing, because its target was deleted. */
const asMissing = (pair: Settled): Settled =>
  pair.kind === "pair"
    ? { ...pair, failed: true, missing: true, checkedScore: null, example: null }
    : { ...pair, checkedScore: null };

/** Returns the usage of what is settled, with a pair's part of the cost of its metric. @param metrics number of metrics of the run. */
const usageWithMetric = (settled: Settled, metrics: number): JudgeUsage =>
  settled.kind === "pair"
    ? usageOfMetric(settled.usage, settled.pair % metrics, metrics, settled.costShift)
    : settled.usage;

/**
 * Commits settled pairs in one transaction: the scores, the slice's bits and, with the slice's last pair, the run's
 * counts and end and the month's cost. A pair whose target was deleted meanwhile is settled as missing.
 */
export const settlement = (
  database: Database,
  { runs, sessions }: { readonly runs: Runs; readonly sessions: SessionRows },
  now: () => number = Date.now,
) => {
  const traces = traceReader(database, now);
  const [items, writes] = [itemsOf(database, "runs"), settlementWrites(now)];

  /** Reads the current location of a score's target; null when the target is deleted. */
  const currentCheck = async ({ score, check }: CheckedScore): Promise<IncarnationCheck | null> => {
    if ("session_id" in score) {
      const session = await sessions.incarnationCheck(score.project_id, score.session_id);
      return session === null ? null : { ...session, expiresAt: check.expiresAt };
    }
    const row = (await traces.locate(score.project_id, score.trace_id))?.row;
    return row?.incarnation === check.incarnation ? { ...check, startedAt: row.startedAt } : null;
  };

  /** Updates pairs whose target's row was moved (because its start changed) or deleted. */
  const recheck = async (
    settled: readonly Settled[],
    movedTraces: ReadonlySet<string>,
  ): Promise<readonly Settled[]> => {
    const checkByTarget = new Map<string, IncarnationCheck | null>();
    const rechecked: Settled[] = [];
    for (const pair of settled) {
      const { checkedScore } = pair;
      if (checkedScore === null || !movedTraces.has(checkedScore.check.traceId)) {
        rechecked.push(pair);
        continue;
      }
      const { score } = checkedScore;
      const target = JSON.stringify("session_id" in score ? [score.session_id] : score.trace_id);
      const check = checkByTarget.has(target) ? checkByTarget.get(target) : await currentCheck(checkedScore);
      checkByTarget.set(target, check ?? null);
      rechecked.push(check ? { ...pair, checkedScore: { score, check } } : asMissing(pair));
    }
    return rechecked;
  };

  const after = (storedSlice: StoredSlice, settled: readonly Settled[], metrics: number): StoredSlice => {
    const pairs = settled.filter((pair) => pair.kind === "pair");
    const slice = {
      ...storedSlice.slice,
      bits: settlePairs(storedSlice.slice.bits, metrics, pairs),
      example: storedSlice.slice.example ?? pairs.find(({ example }) => example !== null)?.example ?? null,
      scoreless: pairs.some(({ scoreless }) => scoreless) || storedSlice.slice.scoreless,
      usage: settled.map((each) => usageWithMetric(each, metrics)).reduce(addUsage, storedSlice.slice.usage),
    };
    const isDone = countsOfSlice(slice, metrics).evaluated === slice.targets.length;
    return {
      ...storedSlice,
      slice: { ...slice, state: isDone ? "done" : "open" },
      until: now() + leaseMilliseconds,
      commits: storedSlice.commits + 1,
      fruitless: 0,
      awaySince: null,
      waiting: null,
    };
  };

  /**
   * Commits settled pairs of a slice.
   *
   * @param metrics number of metrics of the run. @param heldItems items of verdicts that wait for a second judge, which the commit
   *   removes if all their pairs are settled by it.
   * @returns the changed slice.
   * @throws LostLease when another worker has the slice or its run is deleted. When DynamoDB throttles
   *   (`isThrottled`), nothing was committed and a smaller commit can still succeed.
   */
  const commit = async (
    storedSlice: StoredSlice,
    metrics: number,
    settled: readonly Settled[],
    heldItems: readonly HeldItem[] = [],
  ): Promise<StoredSlice> => {
    let next = after(storedSlice, settled, metrics);
    const isLastPair = next.slice.state === "done";
    const scores = settled.flatMap(({ checkedScore }) => checkedScore ?? []);
    const checks = new Map(scores.map((checkedScore) => [checkedScore.check.traceId, writes.check(checkedScore)]));
    const puts = scores.flatMap((checkedScore) =>
      writes.puts(checkedScore).map((put) => ({ scoreId: checkedScore.score.id, put })),
    );
    const heldActions = settled.flatMap((each) => (each.kind === "held" ? each.writes : []));
    const { bits } = next.slice;
    const removals = heldItems
      .filter((item) => item.every((pair) => isSettled(bits, pair)))
      .slice(0, maxCommitActions - maxCascadeActions)
      .map((item) => heldRemoval(storedSlice.slice, item));
    const runAt = 1 + checks.size + puts.length;
    const contention = throwContention("The run's counts changed during every attempt to end a slice.");
    const failedWrites = await withRetries(workerRetryPolicy, contention, async () => {
      const storedRun = isLastPair ? await runs.read(storedSlice.slice.projectId, storedSlice.slice.runId) : null;
      if (isLastPair && storedRun === null) throw new LostLease();
      // A retry may have waited, so each attempt computes the end of the lease again.
      next = after(storedSlice, settled, metrics);
      const end: Write[] = [];
      if (storedRun !== null) {
        const cost = countCost(storedRun, storedSlice, next.slice.usage, now());
        next = { ...next, counted: cost.counted };
        end.push(writes.run(storedRun, next, countsOfSlice(next.slice, metrics)), ...cost.writes);
      }
      const scoreActions = [...checks.values(), ...puts.map(({ put }) => put)];
      const actions = [writes.slice(storedSlice, next), ...scoreActions, ...end, ...heldActions, ...removals];
      const failed = await failedConditions(items.transact(actions));
      // If only the run's condition failed, another slice of the run has ended meanwhile.
      return failed.size === 1 && failed.has(runAt) ? tryAgain : failed;
    });
    if (failedWrites.size === 0) return next;
    if (failedWrites.has(0)) throw new LostLease();
    const movedTraces = new Set([...checks.keys()].filter((_, index) => failedWrites.has(1 + index)));
    const storedIds = new Set(
      puts.filter((_, index) => failedWrites.has(1 + checks.size + index)).map(({ scoreId }) => scoreId),
    );
    const rechecked = withoutScores(await recheck(settled, movedTraces), storedIds);
    return await commit(storedSlice, metrics, rechecked, heldItems);
  };

  return { commit };
};

export type Settlement = ReturnType<typeof settlement>;
