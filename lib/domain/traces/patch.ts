import type { JsonObject } from "../json.ts";
import { sortedTags } from "../text.ts";
import type { PricedUpdate, TraceUpdate } from "./input.ts";
import type { ModelPrice } from "./model-price.ts";
import type { Span, Trace } from "./trace.ts";

/** Returns the new value of a field that null clears; an absent value keeps the old one. */
const replaceUnlessAbsent = <Value>(before: Value, value: Value | undefined): Value =>
  value === undefined ? before : value;

const extendMetadata = (before: JsonObject, value: JsonObject | null | undefined): JsonObject =>
  value === undefined || value === null ? before : { ...before, ...value };

/**
 * Applies a patch to a trace: null clears a field, but keeps name, status, tags and metadata; metadata merges by key.
 */
export const patchTrace = (trace: Trace, update: TraceUpdate): Trace => ({
  ...trace,
  name: update.name ?? trace.name,
  status: update.status ?? trace.status,
  input: replaceUnlessAbsent(trace.input, update.input),
  output: replaceUnlessAbsent(trace.output, update.output),
  metadata: extendMetadata(trace.metadata, update.metadata),
  ended_at: replaceUnlessAbsent(trace.ended_at, update.ended_at),
  session_id: replaceUnlessAbsent(trace.session_id, update.session_id),
  user_id: replaceUnlessAbsent(trace.user_id, update.user_id),
  tags: sortedTags(update.tags ?? trace.tags),
  environment: replaceUnlessAbsent(trace.environment, update.environment),
  release: replaceUnlessAbsent(trace.release, update.release),
});

/** Returns the price of a patched span: a patch that names a model also sets the price. */
const patchedPrice = (
  before: ModelPrice | undefined,
  { model, price }: PricedUpdate,
): { readonly price?: ModelPrice } => {
  const patched = model === undefined ? before : price;
  return patched === undefined ? {} : { price: patched };
};

const patchedSpan = ({ price, ...span }: Span, update: PricedUpdate): Span => ({
  ...span,
  ...patchedPrice(price, update),
  name: update.name ?? span.name,
  kind: update.kind ?? span.kind,
  status: update.status ?? span.status,
  input: replaceUnlessAbsent(span.input, update.input),
  output: replaceUnlessAbsent(span.output, update.output),
  model: replaceUnlessAbsent(span.model, update.model),
  token_usage: replaceUnlessAbsent(span.token_usage, update.token_usage),
  metadata: extendMetadata(span.metadata, update.metadata),
  ended_at: replaceUnlessAbsent(span.ended_at, update.ended_at),
  error: replaceUnlessAbsent(span.error, update.error),
  completion_start_time: replaceUnlessAbsent(span.completion_start_time, update.completion_start_time),
  model_parameters: replaceUnlessAbsent(span.model_parameters, update.model_parameters),
  cost: replaceUnlessAbsent(span.cost, update.cost),
});

/**
 * Applies a patch to a span of a trace; the trace is unchanged if it has no such span. Null clears as in
 * `patchTrace`.
 */
export const patchSpan = (trace: Trace, spanId: string, update: PricedUpdate): Trace => ({
  ...trace,
  spans: trace.spans.map((span) => (span.span_id === spanId ? patchedSpan(span, update) : span)),
});
