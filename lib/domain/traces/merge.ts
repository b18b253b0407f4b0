import { isObject, type Json, type JsonObject } from "../json.ts";
import { sortedTags } from "../text.ts";
import { namedUuid } from "../uuid.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "./input.ts";
import { isPlaceholder, addLogEvents, withoutPlaceholderFlag } from "./log-events.ts";
import type { ModelPrice } from "./model-price.ts";
import { internalKey, isPartial, mergeParts } from "./parts/partial-span.ts";
import type { Span, Trace } from "./trace.ts";

const merged = (before: JsonObject = {}, added: JsonObject = {}): JsonObject => {
  const [internal, addedInternal] = [before[internalKey], added[internalKey]];
  return {
    ...before,
    ...added,
    ...(isObject(internal) && isObject(addedInternal) && { [internalKey]: { ...internal, ...addedInternal } }),
  };
};

/** Returns the price of a merged span: the stored one if the model is unchanged, else that of the new model. */
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

/** Merges a part of a span into the stored one; a price belongs to the model of the part that has it. */
const withPart = (before: Span, part: IdentifiedSpan): Span => {
  const { price: _, ...span } = mergeParts([before, part]);
  const { price } = part;
  const priced = price === undefined || part.model !== span.model ? span : { ...span, price };
  return { ...mergedSpan(undefined, span), ...mergedPrice(before, priced) };
};

const mergeSpan = (before: Span | undefined, span: IdentifiedSpan): Span => {
  if (before === undefined) return mergedSpan(before, span);
  if (isPlaceholder(span)) return addLogEvents(before, span);
  if (!isPlaceholder(before)) return isPartial(span) ? withPart(before, span) : mergedSpan(before, span);
  const { metadata } = before;
  const parent_span_id = span.parent_span_id ?? null;
  return mergedSpan({ ...before, parent_span_id, metadata: withoutPlaceholderFlag(metadata) }, span);
};

const kindIn = ({ metadata }: Pick<IdentifiedSpan, "metadata">): Json | undefined => metadata?.["otel.kind"];

/**
 * Returns the SERVER span of a call whose CLIENT span has the same id, as Zipkin's propagation allows, under an id that
 * follows from the shared one, below the CLIENT span.
 */
const serverSpan = <Each extends IdentifiedSpan>(span: Each): Each => ({
  ...span,
  span_id: namedUuid(span.span_id, "SERVER"),
  parent_span_id: span.span_id,
});

/** Merges sent spans into those of a trace by id; a stored span keeps its parent. */
export const mergeSpans = (before: readonly Span[], added: readonly IdentifiedSpan[]): readonly Span[] => {
  const spans = new Map(before.map((span) => [span.span_id, span]));
  const put = (span: IdentifiedSpan): void => {
    spans.set(span.span_id, mergeSpan(spans.get(span.span_id), span));
  };
  for (const span of added) {
    const stored = spans.get(span.span_id);
    const [kind, storedKind] = [kindIn(span), stored && kindIn(stored)];
    if (stored !== undefined && kind === "CLIENT" && storedKind === "SERVER") {
      spans.delete(span.span_id);
      put(serverSpan(stored));
    }
    put(kind === "SERVER" && storedKind === "CLIENT" ? serverSpan(span) : span);
  }
  return [...spans.values()];
};

/**
 * Merges a sent trace into the stored one: null and absent fields never overwrite a value, defaults apply only to a
 * new trace, metadata merges by key, tags are united, and spans merge by id and keep their first parent.
 *
 * @param before the stored trace; null if there is none.
 */
export const mergeTrace = (before: Trace | null, input: IdentifiedTrace): Trace => ({
  trace_id: input.trace_id,
  name: input.name,
  status: input.status ?? before?.status ?? "COMPLETED",
  input: input.input ?? before?.input ?? null,
  output: input.output ?? before?.output ?? null,
  metadata: merged(before?.metadata, input.metadata),
  started_at: input.started_at,
  ended_at: input.ended_at ?? before?.ended_at ?? null,
  session_id: input.session_id ?? before?.session_id ?? null,
  user_id: input.user_id ?? before?.user_id ?? null,
  tags: sortedTags([...(before?.tags ?? []), ...(input.tags ?? [])]),
  environment: input.environment ?? before?.environment ?? null,
  release: input.release ?? before?.release ?? null,
  spans: mergeSpans(before?.spans ?? [], input.spans ?? []),
});
