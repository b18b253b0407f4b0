import type { JsonObject } from "../json.ts";
import { sortedTags } from "../order.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "./input.ts";
import type { ModelPrice } from "./model-price.ts";
import { isAwaited, withNotes, withoutAwaiting } from "./notes.ts";
import type { Span, Trace } from "./trace.ts";

const merged = (before: JsonObject | undefined, added: JsonObject | undefined): JsonObject =>
  added === undefined ? (before ?? {}) : { ...before, ...added };

/** A model that is told again keeps the price that it had; another one has its own. */
const mergedPrice = (before: Span | undefined, { model, price }: IdentifiedSpan): { readonly price?: ModelPrice } => {
  const isSame = (model ?? null) === null || model === before?.model;
  const merged = isSame ? (before?.price ?? price) : price;
  return merged === undefined ? {} : { price: merged };
};

const mergedSpan = (before: Span | undefined, span: IdentifiedSpan): Span => ({
  span_id: span.span_id,
  parent_span_id: before === undefined ? (span.parent_span_id ?? null) : before.parent_span_id,
  name: span.name,
  kind: span.kind ?? before?.kind ?? "OTHER",
  status: span.status ?? before?.status ?? "UNSET",
  input: span.input ?? before?.input ?? null,
  output: span.output ?? before?.output ?? null,
  model: span.model ?? before?.model ?? null,
  token_usage: span.token_usage ?? before?.token_usage ?? null,
  metadata: merged(before?.metadata, span.metadata),
  started_at: span.started_at,
  ended_at: span.ended_at ?? before?.ended_at ?? null,
  error: span.error ?? before?.error ?? null,
  completion_start_time: span.completion_start_time ?? before?.completion_start_time ?? null,
  model_parameters: span.model_parameters ?? before?.model_parameters ?? null,
  cost: span.cost ?? before?.cost ?? null,
  ...mergedPrice(before, span),
});

const mergeSpan = (before: Span | undefined, span: IdentifiedSpan): Span => {
  if (before === undefined) return mergedSpan(before, span);
  if (isAwaited(span)) return withNotes(before, span);
  if (!isAwaited(before)) return mergedSpan(before, span);
  const { metadata } = before;
  const parent_span_id = span.parent_span_id ?? null;
  return mergedSpan({ ...before, parent_span_id, metadata: withoutAwaiting(metadata) }, span);
};

/** Spans of a trace after some were sent (again): they merge by id and keep their first parent. */
export const mergeSpans = (before: readonly Span[], added: readonly IdentifiedSpan[]): readonly Span[] => {
  const spans = new Map(before.map((span) => [span.span_id, span]));
  for (const span of added) spans.set(span.span_id, mergeSpan(spans.get(span.span_id), span));
  return [...spans.values()];
};

/**
 * A stored trace (null: none yet) after a client sent it (again): null and omitted fields never overwrite a value,
 * defaults apply to the first insert only, metadata merges by key, tags unite, spans merge by id and keep their first
 * parent.
 */
export const mergeTrace = (before: Trace | null, sent: IdentifiedTrace): Trace => ({
  trace_id: sent.trace_id,
  name: sent.name,
  status: sent.status ?? before?.status ?? "COMPLETED",
  input: sent.input ?? before?.input ?? null,
  output: sent.output ?? before?.output ?? null,
  metadata: merged(before?.metadata, sent.metadata),
  started_at: sent.started_at,
  ended_at: sent.ended_at ?? before?.ended_at ?? null,
  session_id: sent.session_id ?? before?.session_id ?? null,
  user_id: sent.user_id ?? before?.user_id ?? null,
  tags: sortedTags([...(before?.tags ?? []), ...(sent.tags ?? [])]),
  environment: sent.environment ?? before?.environment ?? null,
  release: sent.release ?? before?.release ?? null,
  spans: mergeSpans(before?.spans ?? [], sent.spans ?? []),
});
