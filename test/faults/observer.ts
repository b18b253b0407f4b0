import { isSettled } from "../../lib/domain/pair-bits.ts";
import { isTerminal, type Run, type RunOrder } from "../../lib/domain/run.ts";
import type { TraceScore } from "../../lib/domain/score.ts";
import { scoresOfRun } from "../../lib/evaluation/scores-of-run.ts";
import type { Database } from "../../lib/store/database.ts";
import { runScores } from "../../lib/store/run-scores.ts";
import { runStore } from "../../lib/store/runs.ts";
import type { Violations } from "./violations.ts";

const rank = { PENDING: 0, RUNNING: 1, COMPLETED: 2, FAILED: 2 } as const;
const counters = ["evaluated", "failed", "scored", "missing"] as const;

/** A reader of one run that remembers what it has seen, and says when a later read takes something back. */
export interface Observer {
  /** Reads the run once. @param acked whether its creation was acknowledged. */
  look(acked: boolean): Promise<Run | null>;
  /** Reads the run's scores once. */
  lookAtScores(): Promise<readonly TraceScore[]>;
  /** `target metric` of the pairs of a slice, by whether they are settled. */
  pairsOf(slice: string): Promise<{ readonly settled: ReadonlySet<string>; readonly open: ReadonlySet<string> }>;
}

/** @param database a connection without faults, or with an index that lags. */
export const observer = (database: Database, order: RunOrder, violations: Violations): Observer => {
  const runs = runStore(database);
  const scores = runScores(database);
  let last: Run | null = null;
  const seen = new Map<string, string>();
  const pairs = order.total * order.metrics.length;

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
    look: async (acked) => {
      const run = await runs.get(order.projectId, order.id);
      violations.expect(run !== null || (!acked && last === null), "I4: a run that was there is not found");
      if (run === null) return null;
      check(run);
      last = run;
      return run;
    },

    lookAtScores: async () => {
      const stored = await runs.read(order.projectId, order.id);
      if (stored === null) return [];
      const found: TraceScore[] = [];
      for await (const score of scoresOfRun(stored, runs, scores)) found.push(score);
      const ids = new Set(found.map(({ id }) => id));
      violations.expect(ids.size === found.length, "I1: a score is listed twice");
      for (const score of found) {
        const [before, now] = [seen.get(score.id), JSON.stringify(score)];
        violations.expect(before === undefined || before === now, "I1: a score changed");
        seen.set(score.id, now);
      }
      for (const id of seen.keys()) violations.expect(ids.has(id), "I1: a score that was there is gone");
      return found;
    },

    pairsOf: async (id) => {
      const pairs = { settled: new Set<string>(), open: new Set<string>() };
      const stored = await runs.read(order.projectId, order.id);
      if (stored === null) return pairs;
      const slices = await runs.slices(order.projectId, order.id, stored.attempt);
      for (const { slice } of slices.filter((one) => one.slice.id === id)) {
        for (const [target, trace] of slice.targets.entries()) {
          for (const [metric, name] of order.metrics.entries()) {
            const settled = isSettled(slice.bits, target * order.metrics.length + metric);
            pairs[settled ? "settled" : "open"].add(`${trace} ${name}`);
          }
        }
      }
      return pairs;
    },
  };
};
