import type { ExportTracesRequest } from "../../contract/otlp/export-traces.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { Refusal } from "../../domain/refusal.ts";
import { maxObjectKeys } from "../../domain/traces/limits.ts";
import { plainObject, instantOfNanos } from "../wire/any-value.ts";
import { spanIdForm, traceIdForm } from "../wire/span-ids.ts";

type ResourceSpans = ExportTracesRequest["resourceSpans"][number];
type ScopeSpans = ResourceSpans["scopeSpans"][number];
type SentSpan = ScopeSpans["spans"][number];

const kinds = [null, "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"] as const;
const statuses = ["UNSET", "OK", "ERROR"] as const;

/** Bits of a span's OTLP `flags`: the first is set if the exporter reports whether the parent is remote, the second if the parent is remote. */
const [hasRemoteFlag, isRemoteFlag] = [0x100, 0x200];

/** Returns an object without empty values, since protobuf cannot distinguish an empty field from an absent one. */
const withoutEmptyValues = (values: Readonly<Record<string, string | number | null | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));

const linkOf = (link: SentSpan["links"][number]): JsonObject => ({
  ...withoutEmptyValues({
    trace_id: link.traceId,
    span_id: link.spanId,
    trace_state: link.traceState,
    dropped_attributes: link.droppedAttributesCount,
  }),
  attributes: plainObject(link.attributes),
});

const exportedSpan = (span: SentSpan, scope: ExportedSpan["scope"], resource: JsonObject): ExportedSpan | string => {
  const [traceId, spanId, parent] = [span.traceId, span.spanId, span.parentSpanId].map((id) => id.toLowerCase());
  if (traceId === undefined || !traceIdForm.test(traceId)) return "A trace id is not 16 bytes, or is all zero.";
  if (spanId === undefined || !spanIdForm.test(spanId)) return "A span id is not 8 bytes, or is all zero.";
  const hasParent = parent !== undefined && spanIdForm.test(parent);
  if (!hasParent && parent !== "" && !/^0+$/.test(parent ?? "")) return "A parent span id is not 8 bytes.";
  const startedAt = instantOfNanos(span.startTimeUnixNano);
  if (startedAt === null) return "A span has no start time.";
  if ([span, ...span.events, ...span.links].some(({ attributes }) => attributes.length > maxObjectKeys))
    return `A span, an event or a link has more than ${maxObjectKeys} attributes.`;
  const flags = span.flags ?? 0;
  return {
    traceId,
    spanId,
    parentSpanId: hasParent ? parent : null,
    parentIsRemote: hasParent && (flags & hasRemoteFlag) !== 0 && (flags & isRemoteFlag) !== 0,
    name: span.name,
    kind: kinds[Number(span.kind ?? 0)] ?? null,
    startedAt,
    endedAt: instantOfNanos(span.endTimeUnixNano),
    status: statuses[Number(span.status?.code ?? 0)] ?? "UNSET",
    statusMessage: span.status?.message ?? "",
    attributes: plainObject(span.attributes),
    events: span.events.map(({ name, timeUnixNano, attributes, droppedAttributesCount: dropped }) => ({
      name,
      at: instantOfNanos(timeUnixNano),
      attributes: plainObject(attributes),
      otherFields: withoutEmptyValues({ dropped_attributes: dropped }),
    })),
    links: span.links.map(linkOf),
    scope,
    resource,
    otherFields: withoutEmptyValues({
      trace_state: span.traceState,
      dropped_attributes: span.droppedAttributesCount,
      dropped_events: span.droppedEventsCount,
      dropped_links: span.droppedLinksCount,
    }),
  };
};

/** Max spans per request. A collector sends batches of 8,192 spans, and up to twice that when it merges another collector's batch. */
const maxSpans = 20_000;

/**
 * Returns the valid spans of an OTLP request, each with its scope and resource, and the reasons for which the other spans were rejected.
 *
 * @throws Refusal 'too-large' if the request has more than 20,000 spans.
 */
export const exportedSpans = ({ resourceSpans }: ExportTracesRequest) => {
  const counts = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.map(({ spans }) => spans.length));
  if (counts.reduce((sum, count) => sum + count, 0) > maxSpans)
    throw new Refusal({ kind: "too-large", detail: `A request has at most ${maxSpans} spans.` });
  const spans: ExportedSpan[] = [];
  const rejections: string[] = [];
  for (const { resource: sentResource, scopeSpans } of resourceSpans) {
    const resource = plainObject(sentResource?.attributes ?? []);
    for (const { scope: sentScope, spans: sentSpans } of scopeSpans) {
      const scope = {
        name: sentScope?.name ?? "",
        version: sentScope?.version ?? "",
        attributes: plainObject(sentScope?.attributes ?? []),
      };
      for (const each of sentSpans) {
        const span = exportedSpan(each, scope, resource);
        if (typeof span === "string") rejections.push(span);
        else spans.push(span);
      }
    }
  }
  return { spans, rejections };
};
