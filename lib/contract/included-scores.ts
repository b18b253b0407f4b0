import * as v from "valibot";
import { scoreDataTypes, scoreSources } from "../domain/scores/score.ts";
import { replyInstant, listOf, oneOf, uuid } from "./fields.ts";

/** What a list puts beside its items. */
export const includeScores = v.optional(
  v.pipe(
    listOf(oneOf(["scores"]), 1),
    v.description("`scores`: the newest score of each name beside the item. They may lag by seconds."),
  ),
);

/** The newest successful scores of a trace or a session, by name. */
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
        judge: v.pipe(v.nullable(v.string()), v.description("Id of the judge.")),
        eval_run_id: v.nullable(uuid),
        created_at: replyInstant,
        updated_at: replyInstant,
      }),
    ),
    v.description("With `include=scores`: the newest successful score of each name, by name."),
  ),
);

export type IncludedScores = NonNullable<v.InferOutput<typeof includedScores>>;
