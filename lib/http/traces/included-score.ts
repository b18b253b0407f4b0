import type { IncludedScores } from "../../contract/included-scores.ts";
import type { SucceededScore } from "../../store/scores/newest/included.ts";

/** Returns the short form of a score that a list item of a trace or session includes. */
export const includedScore = (score: SucceededScore): IncludedScores[number] => ({
  id: score.id,
  name: score.name,
  value: score.value,
  data_type: score.data_type,
  source: score.source,
  applicable: score.applicable,
  judge: score.judge,
  eval_run_id: score.eval_run_id,
  created_at: score.created_at,
  updated_at: score.updated_at,
});
