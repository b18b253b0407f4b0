import * as v from "valibot";
import { scoreDataTypes, scoreSources } from "../domain/scores/score.ts";
import { replyInstant, listOf, oneOf, uuid } from "./schema/fields.ts";

/** Query parameter `include` of lists whose items can carry their newest scores. */
export const includeScores = v.optional(
  v.pipe(
    listOf(oneOf(["scores"]), 1),
    v.description(
      "`scores` adds the newest successful score of each name to every item; scores may lag behind writes by seconds.",
    ),
  ),
);

/** Schema of the newest successful scores of a trace or a session in a list, ordered by name. */
export const includedScores = v.optional(
  v.pipe(
    v.array(
      v.object({
        id: uuid,
        name: v.string(),
        value: v.nullable(v.string()),
        data_type: oneOf(scoreDataTypes),
        source: oneOf(scoreSources),
        applicable: v.nullable(v.boolean()),
        judge: v.pipe(v.nullable(v.string()), v.description("The `id` of the score's judge.")),
        eval_run_id: v.nullable(uuid),
        created_at: replyInstant,
        updated_at: replyInstant,
      }),
    ),
    v.description("The newest successful score of each name, ordered by name; present with `include=scores`."),
  ),
);

export type IncludedScores = NonNullable<v.InferOutput<typeof includedScores>>;
