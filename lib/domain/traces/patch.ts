import type { JsonObject } from "../json.ts";
import { sortedTags } from "../order.ts";
import type { PricedUpdate, TraceUpdate } from "./input.ts";
import type { ModelPrice } from "./model-price.ts";
import type { Span, Trace } from "./trace.ts";

/** The new value of a field that null clears. */
const replaced = <Value>(before: Value, given: Value | undefined): Value => (given === undefined ? before : given);

const extended = (before: JsonObject, given: JsonObject | null | undefined): JsonObject =>
  given === undefined || given === null ? before : { ...before, ...given };

/** A trace after a change: null clears, but for name, status, tags and metadata, which it leaves; metadata merges by key. */
export const patchTrace = (trace: Trace, update: TraceUpdate): Trace => ({
  ...trace,
  name: update.name ?? trace.name,
  status: update.status ?? trace.status,
  input: replaced(trace.input, update.input),
  output: replaced(trace.output, update.output),
  metadata: extended(trace.metadata, update.metadata),
  ended_at: replaced(trace.ended_at, update.ended_at),
  session_id: replaced(trace.session_id, update.session_id),
  user_id: replaced(trace.user_id, update.user_id),
  tags: sortedTags(update.tags ?? trace.tags),
  environment: replaced(trace.environment, update.environment),
  release: replaced(trace.release, update.release),
});

/** What is told of the model decides on its price. */
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
  input: replaced(span.input, update.input),
  output: replaced(span.output, update.output),
  model: replaced(span.model, update.model),
  token_usage: replaced(span.token_usage, update.token_usage),
  metadata: extended(span.metadata, update.metadata),
  ended_at: replaced(span.ended_at, update.ended_at),
  error: replaced(span.error, update.error),
  completion_start_time: replaced(span.completion_start_time, update.completion_start_time),
  model_parameters: replaced(span.model_parameters, update.model_parameters),
  cost: replaced(span.cost, update.cost),
});

/** A trace after a change of one of its spans; itself when it has no such span. Null clears as in `patchTrace`. */
export const patchSpan = (trace: Trace, spanId: string, update: PricedUpdate): Trace => ({
  ...trace,
  spans: trace.spans.map((span) => (span.span_id === spanId ? patchedSpan(span, update) : span)),
});
