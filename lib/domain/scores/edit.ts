import { equalsJson, type JsonObject } from "../json.ts";
import { invalid } from "../refusal.ts";
import type { OriginalScore, Score } from "./score.ts";
import { normalizeValue, scoreValueFlaw } from "./value.ts";
import type { Instant } from "../instant.ts";

/** An edit of a score; null and absence keep a field. `metadata` is replaced as a whole. */
export interface ScoreEdit {
  readonly value?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

/** Returns the state of a score, as it is kept beside the one that follows. */
const stateOf = ({ source, metadata, ...score }: Score): OriginalScore => {
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
    metadata,
    at,
  };
};

/** Returns the state of a judge's or program's score before its first edit; null for a score that a person gave. */
const originalOf = (score: Score): OriginalScore | null =>
  score.source === "ANNOTATION" ? score.original : stateOf(score);

/** Recomputes `success` in the metadata for a new value, if there is a threshold. */
const withSuccess = (metadata: JsonObject, value: string): JsonObject => {
  const { threshold } = metadata;
  return typeof threshold === "number" && "success" in metadata
    ? { ...metadata, success: Number(value) >= threshold }
    : metadata;
};

const applicable = { applicable: true, inapplicable_code: null } satisfies Partial<Score>;

/**
 * Applies an edit to a score. The result is a successful annotation of the editor, whatever the source of the score
 * was; a new value also makes it applicable.
 *
 * @param editor id of the user; null for an API key.
 * @throws Refusal `invalid` if the value does not fit the score's data type.
 */
export const editScore = <S extends Score>(score: S, edit: ScoreEdit, editor: string | null, at: Instant): S => {
  const value = edit.value ?? null;
  const flaw = value === null ? null : scoreValueFlaw(score.data_type, value);
  if (flaw !== null) throw invalid(["body", "value"], flaw);
  const newValue = value === null ? score.value : normalizeValue(score.data_type, value);
  return {
    ...score,
    value: newValue,
    reason: edit.reason ?? score.reason,
    metadata:
      edit.metadata ?? (value === null || newValue === null ? score.metadata : withSuccess(score.metadata, newValue)),
    status: "SUCCESS",
    source: "ANNOTATION",
    author_user_id: editor,
    ...(value !== null && applicable),
    original: originalOf(score),
    updated_at: at,
  };
};

/** Returns what a client sends of a score whose target and name are known. */
const sentFields = ({ value, data_type, status, source, reason, metadata }: Score) => ({
  value,
  data_type,
  status,
  source,
  reason,
  metadata,
});

/**
 * Replaces value, reason and metadata of a score by those of one that was sent with the same id; `original` is the state
 * before. Id, target, name and time of creation stay. A score that is as it was sent stays unchanged.
 */
export const replaceScore = <S extends Score>(score: S, sent: Score): S => {
  const replaced = sentFields(sent);
  if (equalsJson(sentFields(score), replaced)) return score;
  const { author_user_id, updated_at } = sent;
  const external_id = score.external_id ?? sent.external_id;
  return { ...score, ...replaced, external_id, author_user_id, updated_at, ...applicable, original: stateOf(score) };
};
