import { safeParse } from "valibot";
import { spanInput } from "../../contract/traces/trace-input.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { IdentifiedSpan } from "../../domain/traces/input.ts";
import { logEventKeys, sortLogEvents, callFieldsOf, inputAndOutputOf } from "../../domain/traces/log-events.ts";
import { derivedFields } from "../../domain/traces/derivation/derived-fields.ts";
import { traceIdKey } from "../../domain/traces/telemetry.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { mergeSpans } from "../../domain/traces/merge.ts";
import { noSpanId, spanUuid, traceUuid } from "../wire/span-ids.ts";
import type { PartialTrace } from "../traces/traces-of.ts";
import type { ExportedEvent } from "./exported-event.ts";
import { withEmbeddedJson } from "../../conventions/attributes/embedded-json-bound.ts";
import { claudeEvents } from "../../conventions/claude-code.ts";
import { callEventOf } from "./call-event.ts";
import { logEventOf } from "./log-event.ts";

const maxName = 512;

/** Builds a placeholder span from the events of a span that has not arrived. Its parent id is an id that no span has. */
const placeholderSpan = (
  traceId: string,
  spanId: string,
  events: readonly ExportedEvent[],
  notes: TelemetryNotes,
): IdentifiedSpan => {
  const logEvents = sortLogEvents(
    events.map((event) => (claudeEvents.has(event.name) ? callEventOf(event) : logEventOf(event, notes))),
  );
  const { input, output } = inputAndOutputOf(logEvents);
  const { usage, labels } = callFieldsOf(logEvents);
  const [first] = events.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return {
    span_id: spanUuid(traceId, spanId),
    parent_span_id: spanUuid(traceId, noSpanId),
    name: notes.cut("name", first?.name ?? "", maxName),
    kind: input === null && output === null ? "OTHER" : "LLM",
    status: "UNSET",
    input,
    output,
    token_usage: usage,
    started_at: first?.at ?? "",
    metadata: {
      ...labels,
      "otel.span_id": spanId,
      [logEventKeys.placeholder]: true,
      [logEventKeys.events]: [...logEvents],
    },
  };
};

/** Groups events into traces of placeholder spans. Returns the traces, and the reasons for which events were rejected. */
export const tracesOfEvents = (events: readonly ExportedEvent[], notes = telemetryNotes()) => {
  const rejections: string[] = [];
  const traces: PartialTrace[] = [];
  for (const [traceId, group] of Map.groupBy(events, (event) => event.traceId)) {
    const spans: IdentifiedSpan[] = [];
    let count = 0;
    for (const [spanId, spanEvents] of Map.groupBy(group, (event) => event.spanId)) {
      const span = withEmbeddedJson(notes, () => placeholderSpan(traceId, spanId, spanEvents, notes));
      const parsed = safeParse(spanInput, span);
      if (parsed.success) {
        spans.push(span);
        count += spanEvents.length;
      } else rejections.push(...spanEvents.map(() => parsed.issues[0].message));
    }
    const metadata: JsonObject = { [traceIdKey]: traceId };
    const derived = derivedFields(mergeSpans([], spans), metadata);
    if (derived === null) continue;
    traces.push({ trace: { ...derived, trace_id: traceUuid(traceId), metadata, spans }, spanCount: count });
  }
  return { traces, rejections };
};
