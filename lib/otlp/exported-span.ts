import type { ExportRequest } from "../contract/otlp/export-traces.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Instant } from "../domain/instant.ts";
import { Refusal } from "../domain/refusal.ts";
import { mostKeys } from "../domain/traces/limits.ts";
import { plainObject } from "./any-value.ts";
import { instantOfNanos } from "./nano-instant.ts";
import { spanIdForm, traceIdForm } from "./span-ids.ts";

/** Something that happened while a span ran. */
interface SpanEvent {
  readonly name: string;
  readonly at: Instant | null;
  readonly attributes: JsonObject;
}

/** The library that made a span. */
interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: JsonObject;
}

/** A span as OpenTelemetry has it, its attributes as plain JSON. */
export interface ExportedSpan {
  /** 32 hex digits, lower case. */
  readonly traceId: string;
  /** 16 hex digits, lower case. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** Whether the parent ran in another process; false when the exporter does not say. */
  readonly parentIsRemote: boolean;
  readonly name: string;
  readonly kind: "INTERNAL" | "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER" | null;
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly statusMessage: string;
  readonly attributes: JsonObject;
  readonly events: readonly SpanEvent[];
  readonly links: readonly JsonObject[];
  readonly scope: Scope;
  readonly resource: JsonObject;
  /** Its other fields: trace state, and what the exporter itself left out. */
  readonly others: JsonObject;
}

type ResourceSpans = ExportRequest["resourceSpans"][number];
type ScopeSpans = ResourceSpans["scopeSpans"][number];
type SentSpan = ScopeSpans["spans"][number];

const kinds = [null, "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"] as const;
const statuses = ["UNSET", "OK", "ERROR"] as const;

/** Bits of a span's flags: whether the exporter says if the parent is remote, and if it is. */
const [remoteIsKnown, remote] = [0x100, 0x200];

/** Protobuf does not tell what is empty from what was left out. */
const given = (values: Readonly<Record<string, string | number | null | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));

const linkOf = (link: SentSpan["links"][number]): JsonObject => ({
  ...given({ trace_id: link.traceId, span_id: link.spanId, trace_state: link.traceState }),
  attributes: plainObject(link.attributes),
});

const spanOf = (span: SentSpan, scope: Scope, resource: JsonObject): ExportedSpan | string => {
  const [traceId, spanId, parent] = [span.traceId, span.spanId, span.parentSpanId].map((id) => id.toLowerCase());
  if (traceId === undefined || !traceIdForm.test(traceId))
    return "A trace id is not 16 bytes with one that is not zero.";
  if (spanId === undefined || !spanIdForm.test(spanId)) return "A span id is not 8 bytes with one that is not zero.";
  const hasParent = parent !== undefined && spanIdForm.test(parent);
  if (!hasParent && parent !== "" && !/^0+$/.test(parent ?? "")) return "The id of a parent is not 8 bytes.";
  const startedAt = instantOfNanos(span.startTimeUnixNano);
  if (startedAt === null) return "A span has no start.";
  if ([span, ...span.events, ...span.links].some(({ attributes }) => attributes.length > mostKeys))
    return `A span, an event or a link has more than ${mostKeys} attributes.`;
  const flags = span.flags ?? 0;
  return {
    traceId,
    spanId,
    parentSpanId: hasParent ? parent : null,
    parentIsRemote: hasParent && (flags & remoteIsKnown) !== 0 && (flags & remote) !== 0,
    name: span.name,
    kind: kinds[Number(span.kind ?? 0)] ?? null,
    startedAt,
    endedAt: instantOfNanos(span.endTimeUnixNano),
    status: statuses[Number(span.status?.code ?? 0)] ?? "UNSET",
    statusMessage: span.status?.message ?? "",
    attributes: plainObject(span.attributes),
    events: span.events.map(({ name, timeUnixNano, attributes }) => ({
      name,
      at: instantOfNanos(timeUnixNano),
      attributes: plainObject(attributes),
    })),
    links: span.links.map(linkOf),
    scope,
    resource,
    others: given({
      trace_state: span.traceState,
      dropped_attributes: span.droppedAttributesCount,
      dropped_events: span.droppedEventsCount,
      dropped_links: span.droppedLinksCount,
    }),
  };
};

/** Spans of one request: a collector sends 8,192 in a batch, and as many again when it takes them from another. */
const mostSpans = 20_000;

/**
 * The spans of a request, each with its scope and resource; what is no span is described in words.
 *
 * @throws Refusal `too-large` for more spans than one request may have.
 */
export const exportedSpans = ({ resourceSpans }: ExportRequest) => {
  const counts = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.map(({ spans }) => spans.length));
  if (counts.reduce((sum, count) => sum + count, 0) > mostSpans)
    throw new Refusal({ kind: "too-large", detail: `A request has at most ${mostSpans} spans.` });
  const spans: ExportedSpan[] = [];
  const refused: string[] = [];
  for (const { resource: sentResource, scopeSpans } of resourceSpans) {
    const resource = plainObject(sentResource?.attributes ?? []);
    for (const { scope: sent, spans: sentSpans } of scopeSpans) {
      const scope = {
        name: sent?.name ?? "",
        version: sent?.version ?? "",
        attributes: plainObject(sent?.attributes ?? []),
      };
      for (const each of sentSpans) {
        const span = spanOf(each, scope, resource);
        if (typeof span === "string") refused.push(span);
        else spans.push(span);
      }
    }
  }
  return { spans, refused };
};
