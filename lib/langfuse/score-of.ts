import { prefixed, type JsonObject } from "../domain/json.ts";
import { safeParse } from "valibot";
import { issueOf } from "../contract/schema/issue.ts";
import { otherFieldsOf } from "../contract/schema/other-fields.ts";
import { langfuseScore, type LangfuseScore } from "../contract/langfuse/scores.ts";
import type { ScoreDataType } from "../domain/scores/score.ts";
import {
  checkedScore,
  type UnparsedItem,
  type ImportedScore,
  type ScoreFlaw,
} from "../domain/scores/imported-score.ts";
import { maxLabelCharacters } from "../domain/traces/telemetry.ts";
import { telemetryNotes } from "../domain/telemetry-notes.ts";
import { externalIdOf, uuidInProject } from "../domain/access/identity.ts";
import { spanUuidOfText } from "../otlp/wire/span-ids.ts";
import { metadataObject } from "./metadata.ts";

const flaw = (field: keyof LangfuseScore, message: string): ScoreFlaw => ({ field, message });

const targetOf = (
  { traceId, sessionId, observationId, datasetRunId }: LangfuseScore,
  projectId: string,
): ImportedScore["target"] | ScoreFlaw => {
  if (datasetRunId) {
    return traceId || sessionId || observationId
      ? flaw("datasetRunId", "A score of a dataset run names neither a trace nor a session.")
      : { kind: "experiment", experimentId: uuidInProject(projectId, datasetRunId) };
  }
  if (!traceId) {
    return sessionId
      ? { kind: "session", sessionId }
      : flaw("traceId", "A score names a trace (traceId), a session (sessionId) or a dataset run (datasetRunId).");
  }
  const [trace, externalId] = [uuidInProject(projectId, traceId), externalIdOf(traceId) ?? undefined];
  const spanId = observationId ? spanUuidOfText(trace, observationId) : null;
  return { kind: "trace", traceId: trace, spanId, externalId };
};

const typeOf = ({ dataType, value }: LangfuseScore): ScoreDataType => {
  if (dataType === "NUMERIC" || dataType === "BOOLEAN" || dataType === "CATEGORICAL") return dataType;
  if (dataType === "TEXT" || typeof value === "string") return "CATEGORICAL";
  return typeof value === "boolean" ? "BOOLEAN" : "NUMERIC";
};

const valueOf = (type: ScoreDataType, value: LangfuseScore["value"]): string => {
  if (type === "BOOLEAN")
    return value === 1 || value === "1" ? "true" : value === 0 || value === "0" ? "false" : String(value);
  return type === "NUMERIC" && typeof value === "boolean" ? String(Number(value)) : String(value);
};

/** Langfuse's words for who gave a score. */
const sources = new Set(["ANNOTATION", "API", "EVAL"]);

/** Returns the metadata of a score. @param otherFields fields of the score that its schema does not have. */
const metadataOf = ({ metadata, environment, source }: LangfuseScore, otherFields: JsonObject): JsonObject => ({
  ...prefixed("langfuse.", { ...otherFields, source: source && !sources.has(source) ? source : null }),
  ...metadataObject(metadata ?? {}),
  // Langfuse's SDKs send "default" if no environment is configured.
  ...(environment && environment !== "default" && { "langfuse.environment": environment }),
});

/** Converts a score in Langfuse's format. @returns the score, or the reason of its refusal. */
const parseScore = (body: UnparsedItem, projectId: string): ImportedScore | ScoreFlaw => {
  const parsed = safeParse(langfuseScore, body);
  if (!parsed.success) return issueOf(parsed.issues[0]);
  const otherFields = otherFieldsOf(body, langfuseScore);
  if (!otherFields.success) return issueOf(otherFields.issues[0]);
  const { id, name, value, dataType, comment, configId, source } = parsed.output;
  const { cut, sentences } = telemetryNotes();
  const sessionId = cut("sessionId", parsed.output.sessionId ?? "", maxLabelCharacters);
  const target = targetOf({ ...parsed.output, sessionId }, projectId);
  if ("field" in target) return target;
  if (dataType === "CORRECTION") return flaw("dataType", "Corrections are not supported.");
  const type = typeOf(parsed.output);
  return checkedScore({
    id: id || null,
    target,
    configId: configId || null,
    score: {
      name,
      value: valueOf(type, value),
      data_type: type,
      source: source === "ANNOTATION" ? "ANNOTATION" : "PROGRAMMATIC",
      reason: comment ?? null,
      metadata: metadataOf(parsed.output, otherFields.output),
    },
    notes: sentences(),
  });
};

/** Scores of Langfuse's SDKs. */
export const langfuseScoreSource = { idSpace: "langfuse-score", traceField: "traceId", parse: parseScore };
