import { isSettled } from "../../../lib/domain/runs/pair-bits.ts";
import { isTerminal, type Run, type RunOrder } from "../../../lib/domain/runs/run.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { runScoreList, type TargetScore } from "../pipeline/run-score-list.ts";
import type { Violations } from "../violations.ts";

const rank = { PENDING: 0, RUNNING: 1, COMPLETED: 2, FAILED: 2 } as const;
const counters = ["evaluated", "failed", "scored", "missing"] as const;

/** A reader of one run that remembers earlier reads and records a violation when a later read contradicts them. */
export interface Observer {
  /**
   * Reads the run once and checks its state against the previous read.
   * @param acked true if the run's creation was acknowledged.
   * @param deleting true if the run's deletion was requested, so that the run may be missing.
   */
  readRun(acked: boolean, deleting: boolean): Promise<Run | null>;
  /** Reads the run's scores once and checks that no earlier score has changed or disappeared. */
  readScores(deleting: boolean): Promise<readonly TargetScore[]>;
  /** Pairs that must not be judged again, as texts `target metric`. */
  settledPairs(): Promise<ReadonlySet<string>>;
  /** Number of unsettled pairs of a slice, or of all slices for null. */
  openPairs(slice: string | null): Promise<number>;
}

/**
 * @param database a connection without faults, or with a lagging index.
 * @param unhurried a connection whose index does not lag.
 */
export const observer = (
  database: Database,
  unhurried: Database,
  order: RunOrder,
  violations: Violations,
): Observer => {
  const runs = runStore(database);
  let last: Run | null = null;
  let deleted = false;
  const observedScores = new Map<string, string>();
  const pairs = order.total * order.metrics.length;

  const slices = async (): Promise<readonly StoredSlice[]> => {
    const storedRun = await runs.read(order.projectId, order.id);
    return storedRun === null ? [] : await runs.slices(order.projectId, order.id, storedRun.attempt);
  };

  /** Trace signals that a run of sessions has stored, as texts `trace name`. */
  const settledSignals = async (): Promise<ReadonlySet<string>> => {
    const pairNames = new Set<string>();
    for await (const { trace_id, name } of runScores(unhurried, traceScoreKind).indexed(order.projectId, order.id))
      pairNames.add(`${trace_id} ${name}`);
    return pairNames;
  };

  const check = (run: Run): void => {
    const { expect } = violations;
    expect(run.evaluated <= order.total, "I2: more targets are evaluated than there are");
    expect(run.failed + run.scored <= pairs, "I2: more pairs are counted than there are");
    expect(run.missing <= order.total, "I2: more targets are missing than there are");
    expect((run.completedAt !== null) === isTerminal(run.status), "I5: completed_at does not go with the status");
    if (last === null) return;
    expect(rank[run.status] >= rank[last.status], `I5: the status went from ${last.status} to ${run.status}`);
    for (const counter of counters) expect(run[counter] >= last[counter], `I2: ${counter} fell`);
    if (isTerminal(last.status)) {
      expect(JSON.stringify(run) === JSON.stringify(last), "I5: a run changed after its end");
    }
  };

  return {
    readRun: async (acked, deleting) => {
      const run = await runs.get(order.projectId, order.id);
      violations.expect(run !== null || deleting || (!acked && last === null), "I4: a run that was there is not found");
      violations.expect(run === null || !deleted, "I10: a deleted run is found again");
      if (run === null) {
        deleted ||= last !== null;
        return null;
      }
      check(run);
      last = run;
      return run;
    },

    readScores: async (deleting) => {
      const scores = await runScoreList(database, runs, order);
      if (deleting) return scores;
      const ids = new Set(scores.map(({ id }) => id));
      violations.expect(ids.size === scores.length, "I1: a score is listed twice");
      for (const score of scores) {
        const [before, now] = [observedScores.get(score.id), JSON.stringify(score)];
        violations.expect(before === undefined || before === now, "I1: a score changed");
        observedScores.set(score.id, now);
      }
      for (const id of observedScores.keys()) violations.expect(ids.has(id), "I1: a score that was there is gone");
      return scores;
    },

    settledPairs: async () => {
      if (order.targetType === "SESSION") return await settledSignals();
      const pairNames = new Set<string>();
      for (const { slice } of await slices()) {
        for (const [target, trace] of slice.targets.entries()) {
          for (const [metric, name] of order.metrics.entries()) {
            if (isSettled(slice.bits, target * order.metrics.length + metric)) pairNames.add(`${trace} ${name}`);
          }
        }
      }
      return pairNames;
    },

    openPairs: async (id) => {
      const metrics = order.metrics.length;
      const matchingSlices = (await slices()).filter(({ slice }) => id === null || slice.id === id);
      return matchingSlices.reduce((sum, { slice }) => {
        const pairs = Array.from({ length: slice.targets.length * metrics }, (_, pair) => pair);
        return sum + pairs.filter((pair) => !isSettled(slice.bits, pair)).length;
      }, 0);
    },
  };
};
