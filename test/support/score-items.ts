import type { TraceScore } from "../../lib/domain/scores/score.ts";
import { batchWrite } from "../../lib/dynamo/batches.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { traceScoreKind } from "../../lib/store/scores/kind.ts";

/** Options of written score items. */
interface Writing {
  /** Expiry in epoch seconds; null for none. */
  readonly expiresAt?: number | null;
  /** Incarnations by trace id; "written" where absent. */
  readonly incarnations?: ReadonlyMap<string, string>;
}

/** The DynamoDB item of a trace's score. */
export const scoreItem = (score: TraceScore, { expiresAt = null }: Writing = {}) =>
  traceScoreKind.items(score, { incarnation: "written", expiresAt })[0];

/** Writes score items of traces in batches, with the copies of failed scores only. */
export const writeScores = async (
  database: Database,
  scores: readonly TraceScore[],
  writing: Writing = {},
): Promise<void> => {
  const { expiresAt = null, incarnations } = writing;
  const items = scores.flatMap((score) => {
    const incarnation = incarnations?.get(score.trace_id) ?? "written";
    const [item, copy] = traceScoreKind.items(score, { incarnation, expiresAt });
    return score.status === "FAILED" ? [item, copy] : [item];
  });
  const writes = items.map((Item) => ({ PutRequest: { Item } }));
  const share = Math.ceil(writes.length / 8);
  const lanes = Array.from({ length: 8 }, (_, lane) => writes.slice(lane * share, (lane + 1) * share));
  await Promise.all(lanes.map((lane) => batchWrite(database, "scores", lane)));
};
