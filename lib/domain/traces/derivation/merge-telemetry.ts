import { equalsJson, type JsonObject } from "../../json.ts";
import { withCallParts } from "../call-events.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../input.ts";
import { maxTraceTags } from "../limits.ts";
import { isPlaceholder } from "../log-events.ts";
import { mergeTrace } from "../merge.ts";
import { isPartial } from "../parts/partial-span.ts";
import { mergeSetFields, setFieldsOf, setMetadata } from "../parts/set-fields.ts";
import { byStart, isTelemetryKey, isTelemetryTrace, telemetryKeys } from "../telemetry.ts";
import type { Span, Trace } from "../trace.ts";
import { derivedFields, type DerivedFields } from "./derived-fields.ts";

const traceMetadataKeys = ({ metadata }: Span): readonly string[] => {
  const keys = metadata[telemetryKeys.traceMetadata];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
};

/** Returns the metadata of a trace according to its spans: that of the root, then that of the others by start. */
export const metadataBySpans = (spans: readonly Span[]): JsonObject => {
  const isChild = ({ parent_span_id: parent }: Span): number => (parent === null ? 0 : 1);
  const sources = spans
    .filter((span) => traceMetadataKeys(span).length > 0)
    .toSorted((a, b) => isChild(a) - isChild(b) || byStart(a, b));
  const entries = sources
    .toReversed()
    .flatMap((span) => traceMetadataKeys(span).map((key) => [key, span.metadata[key]] as const));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined || isTelemetryKey(key) ? [] : [[key, value]])),
  );
};

/**
 * Returns the sent spans; each unfinished one is followed by its stored finished version, if there is one, which
 * takes precedence.
 */
const withEndedSpansLast = (before: readonly Span[], spans: readonly IdentifiedSpan[]): readonly IdentifiedSpan[] => {
  const endedById = new Map(before.filter(({ ended_at }) => ended_at !== null).map((span) => [span.span_id, span]));
  return spans.flatMap((span) => {
    const endedSpan = endedById.get(span.span_id);
    return endedSpan === undefined || (span.ended_at ?? null) !== null || isPlaceholder(span) || isPartial(span)
      ? [span]
      : [span, endedSpan];
  });
};

const telemetryOnly = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => isTelemetryKey(key)));

/**
 * Merges OpenTelemetry spans into a stored trace. Derived fields and metadata follow the spans; a value that was
 * overwritten by a patch or another client is kept, and so is one that a client has set for the trace until it sets another one.
 */
export const mergeTelemetry = (before: Trace, input: IdentifiedTrace): Trace => {
  const {
    metadata: mergedMetadata,
    tags,
    spans: mergedSpans,
  } = mergeTrace(before, {
    ...input,
    metadata: telemetryOnly(input.metadata ?? {}),
    spans: withEndedSpansLast(before.spans, input.spans ?? []),
  });
  const spans = withCallParts(mergedSpans);
  const previousMetadata = metadataBySpans(before.spans);
  const [fieldsBefore, addedFields] = [setFieldsOf(before.metadata), setFieldsOf(input.metadata)];
  const newMetadata = Object.entries(metadataBySpans(spans)).filter(
    ([key]) => !fieldsBefore.has(setMetadata + key) && equalsJson(before.metadata[key], previousMetadata[key]),
  );
  const addedMetadata = Object.entries(input.metadata ?? {}).filter(([key]) => addedFields.has(setMetadata + key));
  const metadata: JsonObject = {
    ...mergedMetadata,
    ...Object.fromEntries([...newMetadata, ...addedMetadata]),
    ...mergeSetFields([before.metadata, input.metadata ?? {}]),
  };
  const previousFields = derivedFields(before.spans, before.metadata);
  const newFields = derivedFields(spans, metadata);
  // A trace created for its scores has no fields of its own: all are derived from its first spans.
  const isScoresOnly = previousFields === null && isTelemetryTrace(before);
  const fieldValue = <Key extends keyof DerivedFields>(key: Key): DerivedFields[Key] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sent trace has the fields of a stored one.
    if (addedFields.has(key)) return (input[key] ?? before[key]) as DerivedFields[Key];
    if (newFields === null || fieldsBefore.has(key)) return before[key];
    return isScoresOnly || equalsJson(before[key], previousFields?.[key] ?? null) ? newFields[key] : before[key];
  };
  return {
    trace_id: before.trace_id,
    name: fieldValue("name"),
    status: fieldValue("status"),
    input: fieldValue("input"),
    output: fieldValue("output"),
    metadata,
    started_at: fieldValue("started_at"),
    ended_at: fieldValue("ended_at"),
    session_id: fieldValue("session_id"),
    user_id: fieldValue("user_id"),
    tags: tags.slice(0, maxTraceTags),
    environment: fieldValue("environment"),
    release: fieldValue("release"),
    spans,
  };
};
