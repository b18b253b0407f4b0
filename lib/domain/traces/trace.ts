import type { Instant } from "../instant.ts";
import type { JsonObject, Json } from "../json.ts";
import type { ModelPrice } from "./model-price.ts";

export const traceStatuses = ["PENDING", "RUNNING", "COMPLETED", "ERROR"] as const;
export type TraceStatus = (typeof traceStatuses)[number];

export const spanKinds = ["AGENT", "TOOL", "LLM", "RETRIEVER", "CHAIN", "EMBEDDING", "OTHER"] as const;
type SpanKind = (typeof spanKinds)[number];

export const spanStatuses = ["UNSET", "OK", "ERROR"] as const;
type SpanStatus = (typeof spanStatuses)[number];

/** A stored span of a trace. */
export interface Span {
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  readonly input: Json;
  readonly output: Json;
  readonly model: string | null;
  readonly token_usage: JsonObject | null;
  readonly metadata: JsonObject;
  readonly started_at: Instant;
  readonly ended_at: Instant | null;
  readonly error: string | null;
  readonly completion_start_time: Instant | null;
  readonly model_parameters: JsonObject | null;
  /** Cost of the span as sent by the client. */
  readonly cost: JsonObject | null;
  /** Price of the model at the time the span was stored; absent without a price. */
  readonly price?: ModelPrice;
}

/** A trace as stored: the data of clients without derived values. Spans are in order of arrival. */
export interface Trace {
  readonly trace_id: string;
  readonly name: string;
  readonly status: TraceStatus;
  readonly input: Json;
  readonly output: Json;
  readonly metadata: JsonObject;
  readonly started_at: Instant;
  readonly ended_at: Instant | null;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly release: string | null;
  readonly spans: readonly Span[];
  /** Set where a trace is shown that ended because no more spans arrived; never part of its document. */
  readonly ended_by?: "silence";
}
