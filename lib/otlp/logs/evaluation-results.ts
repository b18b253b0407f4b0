import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { labelText, type Json, type JsonObject } from "../../domain/json.ts";
import type { SubmittedScore } from "../../domain/scores/submitted-score.ts";
import { scoreValueFlaw } from "../../domain/scores/value.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import type { ExportedEvent } from "./exported-event.ts";
import { attributesOf } from "./log-event.ts";
import { spanUuid, traceUuid } from "../wire/span-ids.ts";

/** Name of the event with which OpenTelemetry's GenAI conventions report the evaluation of a model's output. */
const eventName = "gen_ai.evaluation.result";

const [maxName, maxLabel, maxReason] = [1_024, 255, 16_384];

/** Score of a span by the program that sent it. */
export interface EvaluationResult {
  readonly traceId: string;
  readonly spanId: string;
  readonly score: SubmittedScore;
}

const valueOf = (value: Json | undefined, label: string): Pick<SubmittedScore, "value" | "data_type"> | null => {
  if (typeof value === "boolean") return { value: String(value), data_type: "BOOLEAN" };
  const number = typeof value === "string" ? value : JSON.stringify(value ?? null);
  if (scoreValueFlaw("NUMERIC", number) === null) return { value: number, data_type: "NUMERIC" };
  return label === "" ? null : { value: label, data_type: "CATEGORICAL" };
};

/** Reads a score from an evaluation's attributes; null without a name, or if the evaluation itself failed. */
const scoreOf = (attributes: JsonObject, cut: TelemetryNotes["cut"]): SubmittedScore | null => {
  const text = (key: string, max: number): string => cut(key, labelText(attributes[`gen_ai.${key}`]) ?? "", max);
  const [name, label, explanation] = [
    text("evaluation.name", maxName),
    text("evaluation.score.label", maxLabel),
    text("evaluation.explanation", maxReason),
  ];
  const response = text("response.id", maxLabel);
  const value = valueOf(attributes["gen_ai.evaluation.score.value"], label);
  if (value === null || name === "") return null;
  return {
    name,
    ...value,
    source: "PROGRAMMATIC",
    reason: explanation === "" ? null : explanation,
    metadata: {
      source: eventName,
      ...(label !== "" && { label }),
      ...(response !== "" && { response_id: response }),
    },
  };
};

const resultsIn = (
  { traceId, spanId }: Pick<ExportedSpan, "traceId" | "spanId">,
  events: readonly { readonly name: string; readonly attributes: JsonObject }[],
  { cut }: TelemetryNotes,
): readonly EvaluationResult[] =>
  events.flatMap(({ name, attributes }) => {
    const score = name === eventName ? scoreOf(attributes, cut) : null;
    return score === null ? [] : [{ traceId: traceUuid(traceId), spanId: spanUuid(traceId, spanId), score }];
  });

/** Returns the evaluation results in events of spans. */
export const resultsOfSpans = (spans: readonly ExportedSpan[], notes = telemetryNotes()): readonly EvaluationResult[] =>
  spans.flatMap((span) => resultsIn(span, span.events, notes));

/** Returns the evaluation results among log events. */
export const resultsOfEvents = (
  events: readonly ExportedEvent[],
  notes = telemetryNotes(),
): readonly EvaluationResult[] =>
  events.flatMap((event) =>
    resultsIn(event, [{ name: event.name, attributes: attributesOf(event.attributes, event.body) }], notes),
  );
