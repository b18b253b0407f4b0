import type { Fields, Value } from "./exact-json.ts";
import { given, instantOrNull, listOf, merged, objectOf, textOf, textOrNull, textsOf } from "./fields.ts";
import { micros } from "./instant.ts";
import { distinct } from "./order.ts";
import type { Arrival, ModelSpan, ModelTrace } from "./trace.ts";

/** What a span has when nobody ever said. */
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

const ingestSpan = (before: ModelSpan | undefined, sent: Fields): ModelSpan => {
  const fields = new Map<string, Value>(Object.entries(before?.fields ?? spanDefaults));
  for (const key of ["name", ...Object.keys(spanDefaults)]) {
    if (!given(sent, key)) continue;
    const value = sent[key] ?? null;
    fields.set(key, key === "metadata" ? merged(objectOf(fields.get(key)), objectOf(value)) : value);
  }
  return {
    spanId: textOf(sent["span_id"]).toLowerCase(),
    parent: before === undefined ? (textOrNull(sent["parent_span_id"])?.toLowerCase() ?? null) : before.parent,
    startedAt: micros(textOf(sent["started_at"])),
    endedAt: instantOrNull(sent["ended_at"]) ?? before?.endedAt ?? null,
    completionStartedAt: instantOrNull(sent["completion_start_time"]) ?? before?.completionStartedAt ?? null,
    fields: Object.fromEntries(fields),
  };
};

/** A trace's spans after more were sent: the first parent stays, the same id twice is taken one after the other. */
export const ingestSpans = (
  before: ReadonlyMap<string, ModelSpan>,
  sent: readonly Value[],
): ReadonlyMap<string, ModelSpan> => {
  const spans = new Map(before);
  for (const each of sent) {
    const span = ingestSpan(spans.get(textOf(objectOf(each)["span_id"]).toLowerCase()), objectOf(each));
    spans.set(span.spanId, span);
  }
  return spans;
};

/** A trace after it was sent (again): what is null or left out never overwrites what is there. */
export const ingest = (before: ModelTrace | undefined, sent: Fields, arrival: Arrival): ModelTrace => ({
  traceId: textOf(sent["trace_id"]).toLowerCase(),
  name: textOf(sent["name"]),
  status: textOrNull(sent["status"]) ?? before?.status ?? "COMPLETED",
  startedAt: micros(textOf(sent["started_at"])),
  endedAt: instantOrNull(sent["ended_at"]) ?? before?.endedAt ?? null,
  session: textOrNull(sent["session_id"]) ?? before?.session ?? null,
  user: textOrNull(sent["user_id"]) ?? before?.user ?? null,
  environment: textOrNull(sent["environment"]) ?? before?.environment ?? null,
  release: textOrNull(sent["release"]) ?? before?.release ?? null,
  tags: distinct([...(before?.tags ?? []), ...textsOf(sent["tags"])]),
  input: given(sent, "input") ? (sent["input"] ?? null) : (before?.input ?? null),
  output: given(sent, "output") ? (sent["output"] ?? null) : (before?.output ?? null),
  metadata: merged(before?.metadata ?? {}, given(sent, "metadata") ? objectOf(sent["metadata"]) : {}),
  spans: ingestSpans(before?.spans ?? new Map(), listOf(sent["spans"])),
  arrival: before?.arrival ?? arrival,
});
