import type { TraceScore } from "../../lib/domain/scores/score.ts";
import { batchWrite } from "../../lib/store/batch-write.ts";
import type { Database } from "../../lib/store/database.ts";
import { formerListPartition } from "../../lib/store/scores/keys.ts";
import { traceScores } from "../../lib/store/scores/kind.ts";

/** How scores are written. */
interface Writing {
  /** Whether a previous version has listed them. */
  readonly former?: boolean;
  /** Epoch seconds; null: they are kept. */
  readonly expiresAt?: number | null;
}

/** The item of a trace's score. */
export const scoreItem = (score: TraceScore, { former = false, expiresAt = null }: Writing = {}) => {
  const [{ time_key, ...item }] = traceScores.items(score, { incarnation: "written", expiresAt });
  return { ...item, ...(former ? { list_key: formerListPartition("trace", score.project_id) } : { time_key }) };
};

/** Writes scores of traces as the store leaves them, without their copies, many at a time. */
export const writeScores = async (
  database: Database,
  scores: readonly TraceScore[],
  writing: Writing = {},
): Promise<void> => {
  const writes = scores.map((score) => ({ PutRequest: { Item: scoreItem(score, writing) } }));
  const share = Math.ceil(writes.length / 8);
  const lanes = Array.from({ length: 8 }, (_, lane) => writes.slice(lane * share, (lane + 1) * share));
  await Promise.all(lanes.map((lane) => batchWrite(database, "scores", lane)));
};
