import { safeParse } from "valibot";
import { langfuseScore, type LangfuseScore } from "../contract/langfuse/scores.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { ScoreDataType } from "../domain/scores/score.ts";
import type { SubmittedScore } from "../domain/scores/submitted-score.ts";
import { scoreValueFlaw } from "../domain/scores/value.ts";
import { spanIdForm, spanUuid, traceIdForm, traceUuid } from "../otlp/span-ids.ts";

/** A score of Langfuse's as one of ours. */
export interface ReadScore {
  /** As its sender knows it. */
  readonly id: string | null;
  readonly target:
    | { readonly kind: "trace"; readonly traceId: string; readonly spanId: string | null }
    | { readonly kind: "session"; readonly sessionId: string };
  readonly configId: string | null;
  readonly score: SubmittedScore;
}

/** Why a score cannot be taken, and where. */
export interface Flaw {
  readonly field: string;
  readonly words: string;
}

const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const longestValue = 255;
const mostMetadata = 65_536;

const flaw = (field: keyof LangfuseScore, words: string): Flaw => ({ field, words });

/** Hex digits of a trace's id; null for what is no id of OpenTelemetry. */
const hexOf = (id: string): string | null => {
  const hex = uuidForm.test(id) ? id.replaceAll("-", "") : id;
  return traceIdForm.test(hex) ? hex : null;
};

const targetOf = ({ traceId, sessionId, observationId, datasetRunId }: LangfuseScore): ReadScore["target"] | Flaw => {
  if (datasetRunId) return flaw("datasetRunId", "Scores of dataset runs are not taken.");
  if (!traceId) {
    return sessionId
      ? { kind: "session", sessionId }
      : flaw("traceId", "A score names a trace (traceId) or a session (sessionId).");
  }
  const hex = hexOf(traceId.toLowerCase());
  if (hex === null) return flaw("traceId", "A trace id is 32 hex digits, or a UUID.");
  if (!observationId) return { kind: "trace", traceId: traceUuid(hex), spanId: null };
  const span = observationId.toLowerCase();
  if (uuidForm.test(span)) return { kind: "trace", traceId: traceUuid(hex), spanId: span };
  if (!spanIdForm.test(span)) return flaw("observationId", "An observation id is 16 hex digits, or a UUID.");
  return { kind: "trace", traceId: traceUuid(hex), spanId: spanUuid(hex, span) };
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

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const metadataOf = ({ metadata, environment }: LangfuseScore): JsonObject => {
  const own = metadata ?? {};
  return {
    ...(isObject(own) ? own : { metadata: own }),
    // Where nobody chose one.
    ...(environment && environment !== "default" && { "langfuse.environment": environment }),
  };
};

/** Reads a score as Langfuse's SDKs send it, or says why it cannot be taken. */
export const readScore = (sent: JsonObject): ReadScore | Flaw => {
  const parsed = safeParse(langfuseScore, sent);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return { field: issue.path?.map(({ key }) => String(key)).join(".") ?? "", words: issue.message };
  }
  const { id, name, value, dataType, comment, configId, source } = parsed.output;
  const target = targetOf(parsed.output);
  if ("field" in target) return target;
  if (dataType === "CORRECTION") return flaw("dataType", "Corrections are not taken.");
  const type = typeOf(parsed.output);
  const text = valueOf(type, value);
  if (text === "" || text.length > longestValue) return flaw("value", `A text has 1 to ${longestValue} characters.`);
  const wrong = scoreValueFlaw(type, text);
  if (wrong !== null) return flaw("value", wrong);
  const metadata = metadataOf(parsed.output);
  if (Buffer.byteLength(JSON.stringify(metadata)) > mostMetadata)
    return flaw("metadata", `Input should have at most ${mostMetadata} bytes`);
  return {
    id: id || null,
    target,
    configId: configId || null,
    score: {
      name,
      value: text,
      data_type: type,
      source: source === "ANNOTATION" ? "ANNOTATION" : "PROGRAMMATIC",
      reason: comment ?? null,
      metadata,
    },
  };
};
