import { safeParse } from "valibot";
import { spanInput } from "../../contract/traces/trace-input.ts";
import { sortedTags } from "../../domain/text.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { labelText, type JsonObject } from "../../domain/json.ts";
import { withCallParts } from "../../domain/traces/call-events.ts";
import { mergeSpans } from "../../domain/traces/merge.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../../domain/traces/input.ts";
import {
  derivedFields,
  maxLabelCharacters,
  metadataBySpans,
  resourceKey,
  resourceLabels,
  telemetryKeys,
  traceIdKey,
} from "../../domain/traces/telemetry.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { maxTraceSpans, maxTraceTags, tooManySpansDetail } from "../../domain/traces/limits.ts";
import { withEmbeddedJson } from "../../conventions/attributes/embedded-json-bound.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { spanOf } from "./span-of.ts";
import { traceUuid } from "../wire/span-ids.ts";

/** The part of a trace that one request contains, and its number of spans (or of log records). */
export interface PartialTrace {
  readonly trace: IdentifiedTrace;
  readonly spanCount: number;
}

const idOf = (resource: JsonObject): string =>
  derivedUuid(JSON.stringify(Object.entries(resource).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 8);

const tagsOf = (spans: readonly IdentifiedSpan[], { cut, note }: TelemetryNotes): readonly string[] => {
  const sent = spans.flatMap(({ metadata }) => metadata?.["otel.tags"] ?? []).filter((tag) => typeof tag === "string");
  const tags = sortedTags(sent.map((tag) => cut("tags", tag, maxLabelCharacters)));
  if (tags.length > maxTraceTags) note(`Of a trace's tags ${maxTraceTags} are kept.`);
  return tags.slice(0, maxTraceTags);
};

const endRank = ({ ended_at: end }: IdentifiedSpan): number => (end === undefined || end === null ? 0 : 1);

type MappedSpan = { readonly span: IdentifiedSpan; readonly resource: string };

/** Splits off the spans of one trace beyond the maximum: the root and the earliest spans stay. */
const withinLimit = <Each extends MappedSpan>(spans: readonly Each[]) => {
  if (spans.length <= maxTraceSpans) return { kept: spans, surplus: 0 };
  const rank = ({ span: { parent_span_id: parent, metadata } }: Each): number =>
    parent === null || metadata?.[telemetryKeys.remoteParent] === true ? 0 : 1;
  const sorted = spans.toSorted((a, b) => rank(a) - rank(b) || (a.span.started_at < b.span.started_at ? -1 : 1));
  return { kept: sorted.slice(0, maxTraceSpans), surplus: spans.length - maxTraceSpans };
};

const traceOf = (
  traceId: string,
  sentSpans: readonly MappedSpan[],
  resources: ReadonlyMap<string, JsonObject>,
  notes: TelemetryNotes,
) => {
  // If a request contains a span both finished and unfinished, the finished span is merged last and wins.
  const spans = withCallParts(sentSpans.map(({ span }) => span).toSorted((a, b) => endRank(a) - endRank(b)));
  const resourceKeys = new Set(sentSpans.map(({ resource }) => resourceKey(resource)));
  const metadata: JsonObject = {
    [traceIdKey]: traceId,
    ...Object.fromEntries(Array.from(resourceKeys, (key) => [key, resources.get(key) ?? {}])),
  };
  const mergedSpans = mergeSpans([], spans);
  const derived = derivedFields(mergedSpans, metadata);
  return (
    derived && {
      ...derived,
      trace_id: traceUuid(traceId),
      metadata: { ...metadataBySpans(mergedSpans), ...metadata },
      tags: tagsOf(spans, notes),
      spans,
    }
  );
};

/** Notes the labels of a resource that are too long; the trace's metadata has them whole. */
const noteLabels = (resource: JsonObject, { cut }: TelemetryNotes): void => {
  for (const [field, names] of Object.entries(resourceLabels))
    for (const name of names) cut(field, labelText(resource[name]) ?? "", maxLabelCharacters);
};

/**
 * Groups spans into traces. Returns the traces, and the reasons for which spans were rejected.
 *
 * @param notes collects what is left out of accepted spans.
 */
export const tracesOf = (spans: readonly ExportedSpan[], notes = telemetryNotes()) => {
  const rejections: string[] = [];
  const resources = new Map<string, JsonObject>();
  const ids = new Map<JsonObject, string>();
  const resourceOf = (resource: JsonObject): string => {
    const knownId = ids.get(resource);
    if (knownId === undefined) noteLabels(resource, notes);
    const id = knownId ?? idOf(resource);
    ids.set(resource, id);
    resources.set(resourceKey(id), resource);
    return id;
  };
  const mapped = spans.flatMap((each) => {
    const resource = resourceOf(each.resource);
    const span = withEmbeddedJson(notes, () => spanOf(each, resource, notes.cut));
    const parsed = safeParse(spanInput, span);
    if (parsed.success) return [{ traceId: each.traceId, span: { ...parsed.output, span_id: span.span_id }, resource }];
    rejections.push(parsed.issues[0].message);
    return [];
  });
  const traces: PartialTrace[] = [];
  for (const [traceId, group] of Map.groupBy(mapped, ({ traceId: id }) => id)) {
    const { kept, surplus } = withinLimit(group);
    rejections.push(...Array<string>(surplus).fill(tooManySpansDetail));
    const trace = traceOf(traceId, kept, resources, notes);
    if (trace !== null) traces.push({ trace, spanCount: kept.length });
  }
  return { traces, rejections };
};
