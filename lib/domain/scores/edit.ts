import type { JsonObject } from "../json.ts";
import { invalid } from "../refusal.ts";
import type { OriginalScore, Score } from "./score.ts";
import { keptValue, scoreValueFlaw } from "./value.ts";
import type { Instant } from "../instant.ts";

/** What an editor may change; null and absence leave a field as it is. `metadata` is replaced whole. */
export interface ScoreEdit {
  readonly value?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

/** What a judge, ours or a program, has said: kept at the first edit. Of what a person has said nothing is kept. */
const originalOf = ({ original, source, metadata, ...score }: Score): OriginalScore | null => {
  if (original !== null || source === "ANNOTATION") return original;
  const { value, reason, status, applicable, judge, updated_at: at } = score;
  const { success } = metadata;
  return {
    value,
    reason,
    status,
    source,
    applicable,
    judge: judge?.id ?? null,
    success: typeof success === "boolean" ? success : null,
    at,
  };
};

/** Metadata beside a new value: whether it is a success follows from it, where they have a threshold. */
const withSuccess = (metadata: JsonObject, value: string): JsonObject => {
  const { threshold } = metadata;
  return typeof threshold === "number" && "success" in metadata
    ? { ...metadata, success: Number(value) >= threshold }
    : metadata;
};

/**
 * A score as its editor leaves it: a success, an annotation of the editor's, whatever it was before. Who gives
 * it a value says that it applies.
 *
 * @param editor the user's id; null for an API key.
 * @throws Refusal `invalid` when the value does not suit the score's data type.
 */
export const editScore = <S extends Score>(score: S, edit: ScoreEdit, editor: string | null, at: Instant): S => {
  const value = edit.value ?? null;
  const flaw = value === null ? null : scoreValueFlaw(score.data_type, value);
  if (flaw !== null) throw invalid(["body", "value"], flaw);
  const kept = value === null ? score.value : keptValue(score.data_type, value);
  return {
    ...score,
    value: kept,
    reason: edit.reason ?? score.reason,
    metadata: edit.metadata ?? (value === null || kept === null ? score.metadata : withSuccess(score.metadata, kept)),
    status: "SUCCESS",
    source: "ANNOTATION",
    author_user_id: editor,
    ...(value !== null && { applicable: true, inapplicable_code: null }),
    original: originalOf(score),
    updated_at: at,
  };
};
