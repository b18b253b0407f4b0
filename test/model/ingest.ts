import type { Fields, Value } from "./exact-json.ts";
import { hasValue, instantOrNull, listOf, merged, objectOf, textOf, textOrNull, textsOf } from "./fields.ts";
import { micros } from "./instant.ts";
import { distinct } from "./order.ts";
import type { Arrival, ModelSpan, ModelTrace } from "./trace.ts";

/** Field values of a span for which no value was ever sent. */
const spanDefaults: Fields = {
  kind: "OTHER",
  status: "UNSET",
  input: null,
  output: null,
  model: null,
  token_usage: null,
  metadata: {},
  error: null,
  model_parameters: null,
  cost: null,
};

const ingestSpan = (before: ModelSpan | undefined, sentSpan: Fields): ModelSpan => {
  const fields = new Map<string, Value>(Object.entries(before?.fields ?? spanDefaults));
  for (const key of ["name", ...Object.keys(spanDefaults)]) {
    if (!hasValue(sentSpan, key)) continue;
    const value = sentSpan[key] ?? null;
    fields.set(key, key === "metadata" ? merged(objectOf(fields.get(key)), objectOf(value)) : value);
  }
  return {
    spanId: textOf(sentSpan["span_id"]).toLowerCase(),
    parent: before === undefined ? (textOrNull(sentSpan["parent_span_id"])?.toLowerCase() ?? null) : before.parent,
    startedAt: micros(textOf(sentSpan["started_at"])),
    endedAt: instantOrNull(sentSpan["ended_at"]) ?? before?.endedAt ?? null,
    completionStartedAt: instantOrNull(sentSpan["completion_start_time"]) ?? before?.completionStartedAt ?? null,
    fields: Object.fromEntries(fields),
  };
};

/** A trace's spans after an update: the first parent is kept, and repeated ids are applied in order. */
export const ingestSpans = (
  before: ReadonlyMap<string, ModelSpan>,
  sentSpans: readonly Value[],
): ReadonlyMap<string, ModelSpan> => {
  const spans = new Map(before);
  for (const each of sentSpans) {
    const span = ingestSpan(spans.get(textOf(objectOf(each)["span_id"]).toLowerCase()), objectOf(each));
    spans.set(span.spanId, span);
  }
  return spans;
};

/** A trace after an update; null and absent members never overwrite values. */
export const ingest = (before: ModelTrace | undefined, sentTrace: Fields, arrival: Arrival): ModelTrace => ({
  traceId: textOf(sentTrace["trace_id"]).toLowerCase(),
  name: textOf(sentTrace["name"]),
  status: textOrNull(sentTrace["status"]) ?? before?.status ?? "COMPLETED",
  startedAt: micros(textOf(sentTrace["started_at"])),
  endedAt: instantOrNull(sentTrace["ended_at"]) ?? before?.endedAt ?? null,
  session: textOrNull(sentTrace["session_id"]) ?? before?.session ?? null,
  user: textOrNull(sentTrace["user_id"]) ?? before?.user ?? null,
  environment: textOrNull(sentTrace["environment"]) ?? before?.environment ?? null,
  release: textOrNull(sentTrace["release"]) ?? before?.release ?? null,
  tags: distinct([...(before?.tags ?? []), ...textsOf(sentTrace["tags"])]),
  input: hasValue(sentTrace, "input") ? (sentTrace["input"] ?? null) : (before?.input ?? null),
  output: hasValue(sentTrace, "output") ? (sentTrace["output"] ?? null) : (before?.output ?? null),
  metadata: merged(before?.metadata ?? {}, hasValue(sentTrace, "metadata") ? objectOf(sentTrace["metadata"]) : {}),
  spans: ingestSpans(before?.spans ?? new Map(), listOf(sentTrace["spans"])),
  arrival: before?.arrival ?? arrival,
});
