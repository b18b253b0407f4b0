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

/** Writes scores of traces as the store leaves them, without their copies, many at a time. */
export const writeScores = async (
  database: Database,
  scores: readonly TraceScore[],
  { former = false, expiresAt = null }: Writing = {},
): Promise<void> => {
  const writes = scores.map((score) => {
    const [{ time_key, ...item }] = traceScores.items(score, { incarnation: "written", expiresAt });
    const place = former ? { list_key: formerListPartition("trace", score.project_id) } : { time_key };
    return { PutRequest: { Item: { ...item, ...place } } };
  });
  const share = Math.ceil(writes.length / 8);
  const lanes = Array.from({ length: 8 }, (_, lane) => writes.slice(lane * share, (lane + 1) * share));
  await Promise.all(lanes.map((lane) => batchWrite(database, "scores", lane)));
};
