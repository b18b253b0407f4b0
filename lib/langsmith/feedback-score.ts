import { safeParse, type InferOutput } from "valibot";
import { langsmithFeedback, langsmithFeedbackUpdate } from "../contract/langsmith/feedback.ts";
import { issueOf } from "../contract/schema/issue.ts";
import { otherFieldsOf } from "../contract/schema/other-fields.ts";
import { isObject, toDouble, type Json, type JsonObject } from "../domain/json.ts";
import {
  checkedScore,
  type UnparsedItem,
  type ImportedScore,
  type ScoreFlaw,
} from "../domain/scores/imported-score.ts";
import type { SubmittedScore } from "../domain/scores/submitted-score.ts";
import { telemetryNotes, type TelemetryNotes } from "../domain/telemetry-notes.ts";

type FeedbackFields = InferOutput<typeof langsmithFeedbackUpdate>;

const [maxValue, maxReason] = [255, 16_384];

const scoreValue = (
  value: Json | undefined,
  cut: TelemetryNotes["cut"],
): Pick<SubmittedScore, "value" | "data_type"> | null => {
  const number = toDouble(value);
  if (typeof number === "number") return { value: String(number), data_type: "NUMERIC" };
  if (typeof value === "boolean") return { value: String(value), data_type: "BOOLEAN" };
  if (value === undefined || value === null || value === "") return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { value: cut("value", text, maxValue), data_type: "CATEGORICAL" };
};

/** Returns the metadata of a score. @param otherFields fields of the feedback that its schema does not have. */
const metadataOf = (
  { score, value, correction, extra, feedback_source }: FeedbackFields,
  otherFields: JsonObject,
): JsonObject => ({
  // A value beside the score; alone it is the score's value.
  ...(score !== undefined && score !== null && value !== undefined && value !== null && { value }),
  ...Object.fromEntries(
    Object.entries({ ...otherFields, correction, extra, feedback_source }).flatMap(([key, each]) =>
      each === undefined || each === null ? [] : [[`langsmith.${key}`, each]],
    ),
  ),
});

/** Returns the score's value, reason and metadata in a feedback; a value that the feedback does not have is null. */
const judgementOf = (fields: FeedbackFields, otherFields: JsonObject, cut: TelemetryNotes["cut"]) => ({
  value: scoreValue(fields.score, cut) ?? scoreValue(fields.value, cut),
  reason: fields.comment === undefined || fields.comment === null ? null : cut("comment", fields.comment, maxReason),
  metadata: metadataOf(fields, otherFields),
});

/** Names a score's flaw by the field of the feedback that has it. */
export const inSentWords = (flaw: ScoreFlaw, { score }: { readonly score?: unknown }): ScoreFlaw =>
  flaw.field === "value" && (score ?? null) !== null ? { ...flaw, field: "score" } : flaw;

const parseFeedback = (body: UnparsedItem): ImportedScore | ScoreFlaw => {
  const parsed = safeParse(langsmithFeedback, body);
  if (!parsed.success) return issueOf(parsed.issues[0]);
  const { output } = parsed;
  const otherFields = otherFieldsOf(body, langsmithFeedback);
  if (!otherFields.success) return issueOf(otherFields.issues[0]);
  const { id, key, run_id, trace_id, feedback_source } = output;
  const traceId = trace_id ?? run_id;
  if (traceId === undefined || traceId === null)
    return {
      field: "run_id",
      message: "A feedback names a run (run_id); feedback of a project or an experiment is not stored.",
    };
  const { cut, sentences } = telemetryNotes();
  const { value, reason, metadata } = judgementOf(output, otherFields.output, cut);
  if (value === null)
    return { field: "score", message: "A feedback has a score or a value: a comment alone is no score." };
  const checked = checkedScore({
    id: id ?? null,
    target: { kind: "trace", traceId, spanId: run_id === undefined || run_id === traceId ? null : run_id },
    configId: null,
    score: {
      name: key,
      ...value,
      source: isObject(feedback_source ?? null) && feedback_source?.["type"] === "app" ? "ANNOTATION" : "PROGRAMMATIC",
      reason,
      metadata,
    },
    notes: sentences(),
  });
  return "field" in checked ? inSentWords(checked, output) : checked;
};

/** Feedback of LangSmith's SDKs. */
export const langsmithFeedbackSource = { idSpace: "langsmith-feedback", traceField: "trace_id", parse: parseFeedback };

/** Changed value, reason and metadata of a score; what is absent stays as it is. */
type FeedbackChange = Partial<Pick<SubmittedScore, "value" | "data_type">> & {
  readonly reason?: string;
  readonly metadata: JsonObject;
  /** Sentences about texts that were cut. */
  readonly notes: readonly string[];
};

/** Converts a change of a feedback. @returns the change, or the reason of its refusal. */
export const feedbackChange = (body: UnparsedItem): FeedbackChange | ScoreFlaw => {
  const parsed = safeParse(langsmithFeedbackUpdate, body);
  const otherFields = otherFieldsOf(body, langsmithFeedbackUpdate);
  if (!parsed.success) return issueOf(parsed.issues[0]);
  if (!otherFields.success) return issueOf(otherFields.issues[0]);
  const { cut, sentences } = telemetryNotes();
  const { value, reason, metadata } = judgementOf(parsed.output, otherFields.output, cut);
  if (value === null && reason === null && Object.keys(metadata).length === 0)
    return { field: "score", message: "A change of a feedback has a score, a value, a comment or a correction." };
  return { ...value, ...(reason !== null && { reason }), metadata, notes: sentences() };
};
