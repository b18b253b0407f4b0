import type { JsonObject } from "../json.ts";
import { invalid } from "../refusal.ts";
import type { Score } from "./score.ts";
import { keptValue, scoreValueFlaw } from "./value.ts";
import type { Instant } from "../instant.ts";

/** What an editor may change; null and absence leave a field as it is. `metadata` is replaced whole. */
export interface ScoreEdit {
  readonly value?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

/**
 * A score as its editor leaves it: a success, an annotation of the editor's, whatever it was before.
 *
 * @param editor the user's id; null for an API key.
 * @throws Refusal `invalid` when the value does not suit the score's data type.
 */
export const editScore = <S extends Score>(score: S, edit: ScoreEdit, editor: string | null, at: Instant): S => {
  const value = edit.value ?? null;
  const flaw = value === null ? null : scoreValueFlaw(score.data_type, value);
  if (flaw !== null) throw invalid(["body", "value"], flaw);
  return {
    ...score,
    value: value === null ? score.value : keptValue(score.data_type, value),
    reason: edit.reason ?? score.reason,
    metadata: edit.metadata ?? score.metadata,
    status: "SUCCESS",
    source: "ANNOTATION",
    author_user_id: editor,
    updated_at: at,
  };
};
