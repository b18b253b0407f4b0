import type { Instant } from "../instant.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ModelPrice } from "./model-price.ts";
import type { Span, Trace } from "./trace.ts";

/** A span as sent by a client; absent and null both mean "no value". */
export interface SpanInput {
  readonly span_id?: string | null | undefined;
  readonly parent_span_id?: string | null | undefined;
  readonly name: string;
  readonly kind?: Span["kind"] | null | undefined;
  readonly status?: Span["status"] | null | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly model?: string | null | undefined;
  readonly token_usage?: JsonObject | null | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly started_at: Instant;
  readonly ended_at?: Instant | null | undefined;
  readonly error?: string | null | undefined;
  readonly completion_start_time?: Instant | null | undefined;
  readonly model_parameters?: JsonObject | null | undefined;
  readonly cost?: JsonObject | null | undefined;
}

/** A trace as sent by a client; absent and null both mean "no value". */
export interface TraceInput {
  readonly trace_id?: string | null | undefined;
  readonly name: string;
  readonly status?: Trace["status"] | null | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly started_at: Instant;
  readonly ended_at?: Instant | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly environment?: string | null | undefined;
  readonly release?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly spans?: readonly SpanInput[] | undefined;
}

/** A span with its id, and with the price of its model if there is one. */
export type IdentifiedSpan = SpanInput & { readonly span_id: string; readonly price?: ModelPrice };

/** A trace as sent by a client, with all trace and span ids filled in. */
export type IdentifiedTrace = Omit<TraceInput, "trace_id" | "spans"> & {
  readonly trace_id: string;
  readonly spans?: readonly IdentifiedSpan[] | undefined;
};

/** A patch of a trace: absent keeps a field, null clears it if it can be cleared. */
export interface TraceUpdate {
  readonly name?: string | null | undefined;
  readonly status?: Trace["status"] | null | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly metadata?: JsonObject | null | undefined;
  readonly ended_at?: Instant | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly environment?: string | null | undefined;
  readonly release?: string | null | undefined;
}

/** A patch of a span; absent and null as in `TraceUpdate`. */
export interface SpanUpdate {
  readonly name?: string | null | undefined;
  readonly kind?: Span["kind"] | null | undefined;
  readonly status?: Span["status"] | null | undefined;
  readonly input?: Json | undefined;
  readonly output?: Json | undefined;
  readonly model?: string | null | undefined;
  readonly token_usage?: JsonObject | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
  readonly ended_at?: Instant | null | undefined;
  readonly error?: string | null | undefined;
  readonly completion_start_time?: Instant | null | undefined;
  readonly model_parameters?: JsonObject | null | undefined;
  readonly cost?: JsonObject | null | undefined;
}

/** A patch of a span with the price of its model, if the patch names a model with a price. */
export type PricedUpdate = SpanUpdate & { readonly price?: ModelPrice };

/** Fills in missing span ids. @param mint returns the id for a position, `span <index>`. */
export const withSpanIds = (
  input: readonly SpanInput[],
  mint: (position: string) => string,
): readonly IdentifiedSpan[] =>
  input.map((span, index) => ({ ...span, span_id: span.span_id ?? mint(`span ${index}`) }));

/**
 * Fills in missing ids of a trace and its spans.
 *
 * @param mint returns the id for a position, `trace` or `span <index>`.
 */
export const withIds = (input: TraceInput, mint: (position: string) => string): IdentifiedTrace => ({
  ...input,
  trace_id: input.trace_id ?? mint("trace"),
  spans: input.spans === undefined ? undefined : withSpanIds(input.spans, mint),
});
