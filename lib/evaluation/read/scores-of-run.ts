import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import { pairState } from "../../domain/runs/pair-bits.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** Yields the ids of the scores that the settled pairs of a run may have. */
const expectedIds = async function* (storedRun: StoredRun, runs: Runs): AsyncIterable<string> {
  const { order } = storedRun.run;
  for (const { slice } of await runs.slices(order.projectId, order.id, storedRun.attempt)) {
    for (const [target, id] of slice.targets.entries()) {
      for (const [metric, name] of order.metrics.entries()) {
        const state = pairState(slice.bits, order.metrics.length, target * order.metrics.length + metric);
        if (state !== null && state !== "open") yield automatedScoreId(order.id, id, name);
      }
    }
  }
};

/**
 * Yields every score of a run once, newest first. Scores that are not in the index yet are read by id, so that an ended run
 * is complete.
 */
export const everyScoreOfRun = async function* <S extends Score>(
  storedRun: StoredRun,
  runs: Runs,
  scores: RunScores<S>,
): AsyncIterable<S> {
  const { order } = storedRun.run;
  const yieldedIds = new Set<string>();
  for await (const score of scores.indexed(order.projectId, order.id)) {
    yieldedIds.add(score.id);
    yield score;
  }
  const counts = await runs.get(order.projectId, order.id);
  // Targets that are missing now may have scores from before their deletion, so only a count at or above the run's total is complete.
  if (counts === null || yieldedIds.size >= counts.scored + counts.failed) return;
  const missingIds: string[] = [];
  for await (const id of expectedIds(storedRun, runs)) if (!yieldedIds.has(id)) missingIds.push(id);
  yield* await scores.read(order.projectId, missingIds);
};
