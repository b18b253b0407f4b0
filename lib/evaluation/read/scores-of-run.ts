import { automatedScoreId } from "../../domain/scores/automated-score.ts";
import { pairState } from "../../domain/runs/pair-bits.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { StoredRun } from "../../store/runs/codec.ts";
import type { RunScores } from "../../store/scores/of-run.ts";
import type { Runs } from "../../store/runs/runs.ts";

/** Ids of the scores that the settled pairs of a run may have. */
const expectedIds = async function* (stored: StoredRun, runs: Runs): AsyncIterable<string> {
  const { order } = stored.run;
  for (const { slice } of await runs.slices(order.projectId, order.id, stored.attempt)) {
    for (const [target, id] of slice.targets.entries()) {
      for (const [metric, name] of order.metrics.entries()) {
        const state = pairState(slice.bits, order.metrics.length, target * order.metrics.length + metric);
        if (state !== null && state !== "open") yield automatedScoreId(order.id, id, name);
      }
    }
  }
};

/**
 * Every score of a run, each once, newest first. What the index has not got yet is read by id, so that none is missing
 * from the moment a run has ended.
 */
export const scoresOfRun = async function* <S extends Score>(
  stored: StoredRun,
  runs: Runs,
  scores: RunScores<S>,
): AsyncIterable<S> {
  const { order } = stored.run;
  const seen = new Set<string>();
  for await (const score of scores.indexed(order.projectId, order.id)) {
    seen.add(score.id);
    yield score;
  }
  const counts = await runs.get(order.projectId, order.id);
  // A missing target may have scores of before it was deleted: only so many are all of them for certain.
  if (counts === null || seen.size >= counts.scored + counts.failed) return;
  const late: string[] = [];
  for await (const id of expectedIds(stored, runs)) if (!seen.has(id)) late.push(id);
  yield* await scores.read(order.projectId, late);
};
