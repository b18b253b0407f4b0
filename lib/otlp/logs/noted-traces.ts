import { safeParse } from "valibot";
import { spanInput } from "../../contract/traces/trace-input.ts";
import { firstCharacters } from "../../domain/characters.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { IdentifiedSpan } from "../../domain/traces/input.ts";
import { noteKeys, orderedNotes, saidByNotes } from "../../domain/traces/notes.ts";
import { derivedFields, traceIdKey } from "../../domain/traces/telemetry.ts";
import { mergeSpans } from "../../domain/traces/merge.ts";
import { noSpan, spanUuid, traceUuid } from "../span-ids.ts";
import type { SentTrace } from "../traces-of.ts";
import type { ExportedEvent } from "./exported-event.ts";
import { noteOf } from "./note-of.ts";

const maxName = 512;

/** The span that some events are of, as far as they tell it: its parent is one that nothing has. */
const spanOf = (traceId: string, spanId: string, events: readonly ExportedEvent[]): IdentifiedSpan => {
  const notes = orderedNotes(events.map(noteOf));
  const { input, output } = saidByNotes(notes);
  const [first] = events.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return {
    span_id: spanUuid(traceId, spanId),
    parent_span_id: spanUuid(traceId, noSpan),
    name: firstCharacters(first?.name ?? "", maxName),
    kind: input === null && output === null ? "OTHER" : "LLM",
    status: "UNSET",
    input,
    output,
    started_at: first?.at ?? "",
    metadata: { "otel.span_id": spanId, [noteKeys.awaited]: true, [noteKeys.notes]: [...notes] },
  };
};

/** The traces whose spans some events belong to, with nothing of them but the events; what cannot be stored is described in words. */
export const notedTraces = (events: readonly ExportedEvent[]) => {
  const refused: string[] = [];
  const traces: SentTrace[] = [];
  for (const [traceId, group] of Map.groupBy(events, (event) => event.traceId)) {
    const spans: IdentifiedSpan[] = [];
    let count = 0;
    for (const [spanId, ofSpan] of Map.groupBy(group, (event) => event.spanId)) {
      const span = spanOf(traceId, spanId, ofSpan);
      const parsed = safeParse(spanInput, span);
      if (parsed.success) {
        spans.push(span);
        count += ofSpan.length;
      } else refused.push(...ofSpan.map(() => parsed.issues[0].message));
    }
    const metadata: JsonObject = { [traceIdKey]: traceId };
    const derived = derivedFields(mergeSpans([], spans), metadata);
    if (derived === null) continue;
    traces.push({ trace: { ...derived, trace_id: traceUuid(traceId), metadata, spans }, spanCount: count });
  }
  return { traces, refused };
};
