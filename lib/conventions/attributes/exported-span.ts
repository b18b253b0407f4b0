import type { Instant } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { PartRanks } from "../../domain/traces/parts/partial-span.ts";

/** An event of a span, such as an exception or a message. */
interface SpanEvent {
  readonly name: string;
  readonly at: Instant | null;
  readonly attributes: JsonObject;
  /** Number of attributes that the exporter dropped; absent or empty for none. */
  readonly otherFields?: JsonObject;
}

/** The instrumentation library that created a span. */
interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: JsonObject;
}

/** A span of an OTLP export, with its attributes as plain JSON. */
export interface ExportedSpan {
  /** 32 hex digits, lower case. */
  readonly traceId: string;
  /** 16 hex digits, lower case; 32 of a LangSmith run, whose id is a UUID. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** True if the parent span ran in another process; false if the exporter does not report it. */
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
  /** Trace state, and the numbers of attributes, events and links that the exporter dropped. */
  readonly otherFields: JsonObject;
  /** Texts by which a product identifies the span and its trace, where they are no ids of OpenTelemetry. */
  readonly externalIds?: { readonly span?: string | undefined; readonly trace?: string | undefined };
  /** Ranks of the fields of a part of a span, where a product sends them apart from each other; absent for a whole span. */
  readonly part?: PartRanks;
  /** True if the attributes describe the trace, which has no such span. */
  readonly isTrace?: true;
}
