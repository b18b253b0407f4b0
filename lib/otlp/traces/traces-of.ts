import { safeParse } from "valibot";
import { issueOf } from "../../contract/schema/issue.ts";
import { spanInput } from "../../contract/traces/trace-input.ts";
import { sortedTags } from "../../domain/text.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { labelText, type JsonObject } from "../../domain/json.ts";
import { withCallParts } from "../../domain/traces/call-events.ts";
import { mergeSpans } from "../../domain/traces/merge.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../../domain/traces/input.ts";
import { mergeParts, withRanks } from "../../domain/traces/parts/partial-span.ts";
import { mergeSetFields } from "../../domain/traces/parts/set-fields.ts";
import { derivedFields } from "../../domain/traces/derivation/derived-fields.ts";
import {
  externalIdKey,
  maxLabelCharacters,
  resourceKey,
  resourceLabels,
  telemetryKeys,
  traceIdKey,
} from "../../domain/traces/telemetry.ts";
import { metadataBySpans } from "../../domain/traces/derivation/merge-telemetry.ts";
import { telemetryNotes, type TelemetryNotes } from "../../domain/telemetry-notes.ts";
import { maxTraceSpans, maxTraceTags, tooManySpansDetail } from "../../domain/traces/limits.ts";
import { withEmbeddedJson } from "../../conventions/attributes/embedded-json-bound.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { spanOf } from "./span-of.ts";
import { traceSettingsOf, type TraceSettings } from "./trace-settings.ts";
import { traceUuid } from "../wire/span-ids.ts";

/** The part of a trace that one request contains, and its number of spans (or of log records). */
export interface PartialTrace {
  readonly trace: IdentifiedTrace;
  readonly spanCount: number;
}

const idOf = (resource: JsonObject): string =>
  derivedUuid(JSON.stringify(Object.entries(resource).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 8);

const tagsOf = (
  spans: readonly IdentifiedSpan[],
  setTags: readonly string[],
  { cut, note }: TelemetryNotes,
): readonly string[] => {
  const ofSpans = spans.flatMap(({ metadata }) => metadata?.["otel.tags"] ?? []);
  const sent = [...setTags, ...ofSpans].filter((tag) => typeof tag === "string");
  const tags = sortedTags(sent.map((tag) => cut("tags", tag, maxLabelCharacters)));
  if (tags.length > maxTraceTags) note(`Of a trace's tags ${maxTraceTags} are kept.`);
  return tags.slice(0, maxTraceTags);
};

const endRank = ({ ended_at: end }: IdentifiedSpan): number => (end === undefined || end === null ? 0 : 1);

type MappedSpan = {
  readonly span: IdentifiedSpan;
  readonly resource: string;
  /** Spans of the request, several for one that is sent in parts. */
  readonly sent: readonly ExportedSpan[];
};

const isPart = ({ sent }: MappedSpan): boolean => sent[0]?.part !== undefined;

/** Merges the parts of each span into one, in order. */
const mergedParts = (spans: readonly MappedSpan[]): readonly MappedSpan[] => {
  const [parts, whole] = [spans.filter(isPart), spans.filter((each) => !isPart(each))];
  const groups = Map.groupBy(parts, ({ span }) => span.span_id).values();
  const merged = Array.from(groups).flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            span: mergeParts([first.span, ...others.map(({ span }) => span)]),
            sent: [first, ...others].flatMap(({ sent }) => sent),
          },
        ],
  );
  return [...whole, ...merged];
};

/** Splits off the spans of one trace beyond the maximum: the root and the earliest spans stay. */
const withinLimit = (spans: readonly MappedSpan[]) => {
  if (spans.length <= maxTraceSpans) return { kept: spans, surplus: [] };
  const rank = ({ span: { parent_span_id: parent, metadata } }: MappedSpan): number =>
    parent === null || metadata?.[telemetryKeys.remoteParent] === true ? 0 : 1;
  const sorted = spans.toSorted((a, b) => rank(a) - rank(b) || (a.span.started_at < b.span.started_at ? -1 : 1));
  return { kept: sorted.slice(0, maxTraceSpans), surplus: sorted.slice(maxTraceSpans) };
};

/** Returns the fields that a client sets for a trace in several messages, the last of which win. */
const settingsIn = (carriers: readonly ExportedSpan[], notes: TelemetryNotes): TraceSettings => {
  const settings = carriers.map((carrier) => withEmbeddedJson(notes, () => traceSettingsOf(carrier, notes.cut)));
  return {
    fields: Object.assign({}, ...settings.map(({ fields }) => fields)),
    metadata: {
      ...Object.assign({}, ...settings.map(({ metadata }) => metadata)),
      ...mergeSetFields(settings.map(({ metadata }) => metadata)),
    },
    tags: settings.flatMap(({ tags }) => tags),
  };
};

const traceOf = (
  traceId: string,
  sentSpans: readonly MappedSpan[],
  resources: ReadonlyMap<string, JsonObject>,
  settings: TraceSettings,
  externalId: string | undefined,
  notes: TelemetryNotes,
) => {
  // If a request contains a span both finished and unfinished, the finished span is merged last and wins.
  const spans = withCallParts(sentSpans.map(({ span }) => span).toSorted((a, b) => endRank(a) - endRank(b)));
  const resourceKeys = new Set(sentSpans.map(({ resource }) => resourceKey(resource)));
  const metadata: JsonObject = {
    [traceIdKey]: traceId,
    ...(externalId !== undefined && { [externalIdKey]: externalId }),
    ...Object.fromEntries(Array.from(resourceKeys, (key) => [key, resources.get(key) ?? {}])),
    ...settings.metadata,
  };
  const mergedSpans = mergeSpans([], spans);
  const derived = derivedFields(mergedSpans, metadata);
  return (
    derived && {
      ...derived,
      ...settings.fields,
      trace_id: traceUuid(traceId),
      metadata: { ...metadataBySpans(mergedSpans), ...metadata },
      tags: tagsOf(spans, settings.tags, notes),
      spans,
    }
  );
};

/** Notes the labels of a resource that are too long; the trace's metadata has them whole. */
const noteLabels = (resource: JsonObject, { cut }: TelemetryNotes): void => {
  for (const [field, names] of Object.entries(resourceLabels))
    for (const name of names) cut(field, labelText(resource[name]) ?? "", maxLabelCharacters);
};

/** A span that is not stored, and the reason. */
interface SpanFlaw {
  readonly span: ExportedSpan;
  readonly message: string;
}

/**
 * Groups spans into traces. Returns the traces, and the reasons for which spans were rejected (`flaws` with the spans).
 *
 * @param notes collects what is left out of accepted spans.
 */
export const tracesOf = (spans: readonly ExportedSpan[], notes = telemetryNotes()) => {
  const flaws: SpanFlaw[] = [];
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
  const mapped = (each: ExportedSpan): readonly MappedSpan[] => {
    const resource = resourceOf(each.resource);
    const converted = withEmbeddedJson(notes, () => spanOf(each, resource, notes.cut));
    const parsed = safeParse(spanInput, converted);
    if (parsed.success) {
      const span = { ...parsed.output, span_id: converted.span_id };
      return [{ span: each.part === undefined ? span : withRanks(span, each.part), resource, sent: [each] }];
    }
    flaws.push({ span: each, message: issueOf(parsed.issues[0]).message });
    return [];
  };
  const traces: PartialTrace[] = [];
  for (const [traceId, group] of Map.groupBy(spans, ({ traceId: id }) => id)) {
    const [carriers, ownSpans] = [group.filter(({ isTrace }) => isTrace), group.filter(({ isTrace }) => !isTrace)];
    const { kept, surplus } = withinLimit(mergedParts(ownSpans.flatMap(mapped)));
    for (const { sent } of surplus) for (const span of sent) flaws.push({ span, message: tooManySpansDetail });
    const externalId = group.find(({ externalIds }) => externalIds?.trace !== undefined)?.externalIds?.trace;
    const trace = traceOf(traceId, kept, resources, settingsIn(carriers, notes), externalId, notes);
    if (trace !== null) traces.push({ trace, spanCount: kept.length });
  }
  return { traces, rejections: flaws.map(({ message }) => message), flaws };
};
