import { safeParse, type InferOutput } from "valibot";
import { langsmithFeedback } from "../contract/langsmith/feedback.ts";
import { jsonObject } from "../contract/schema/fields.ts";
import { issueOf } from "../contract/schema/issue.ts";
import { isObject, toDouble, type Json, type JsonObject } from "../domain/json.ts";
import {
  checkedScore,
  type UnparsedItem,
  type ImportedScore,
  type ScoreFlaw,
} from "../domain/scores/imported-score.ts";
import type { SubmittedScore } from "../domain/scores/submitted-score.ts";
import { telemetryNotes, type TelemetryNotes } from "../domain/telemetry-notes.ts";

type Feedback = InferOutput<typeof langsmithFeedback>;

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
  { score, value, correction, extra, feedback_source }: Feedback,
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

const parseFeedback = (body: UnparsedItem): ImportedScore | ScoreFlaw => {
  const parsed = safeParse(langsmithFeedback, body);
  if (!parsed.success) return issueOf(parsed.issues[0]);
  const { output } = parsed;
  const unknown = Object.entries(body).filter(([name]) => !Object.hasOwn(langsmithFeedback.entries, name));
  const otherFields = safeParse(jsonObject, Object.fromEntries(unknown));
  if (!otherFields.success) return issueOf(otherFields.issues[0]);
  const { id, key, run_id, trace_id, comment, feedback_source } = output;
  const traceId = trace_id ?? run_id;
  if (traceId === undefined || traceId === null)
    return {
      field: "run_id",
      message: "A feedback names a run (run_id); feedback of a project or an experiment is not stored.",
    };
  const { cut, sentences } = telemetryNotes();
  const value = scoreValue(output.score, cut) ?? scoreValue(output.value, cut);
  if (value === null)
    return { field: "score", message: "A feedback has a score or a value: a comment alone is no score." };
  const reason = comment === undefined || comment === null ? null : cut("comment", comment, maxReason);
  return checkedScore({
    id: id ?? null,
    target: { kind: "trace", traceId, spanId: run_id === undefined || run_id === traceId ? null : run_id },
    configId: null,
    score: {
      name: key,
      ...value,
      source: isObject(feedback_source ?? null) && feedback_source?.["type"] === "app" ? "ANNOTATION" : "PROGRAMMATIC",
      reason,
      metadata: metadataOf(output, otherFields.output),
    },
    notes: sentences(),
  });
};

/** Feedback of LangSmith's SDKs. */
export const langsmithFeedbackSource = { idSpace: "langsmith-feedback", parse: parseFeedback };
