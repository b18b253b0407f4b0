import type { Span } from "../../domain/traces/trace.ts";

/** A span at its place in the transcript. */
export interface PlacedSpan {
  readonly span: Span;
  /** From 1, in the order shown. */
  readonly number: number;
  /** Number of the span it ran in; null at the top. */
  readonly parent: number | null;
  /** It names a parent that the trace does not have, or that runs in it. */
  readonly orphan: boolean;
}

const earlier = (a: Span, b: Span): number => {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  if (a.span_id === b.span_id) return 0;
  return a.span_id < b.span_id ? -1 : 1;
};

/**
 * Spans depth first, siblings by start and then by id. Every span comes exactly once, whatever the parents say: one that
 * cannot be reached from the top (a cycle, itself as parent) is entered at its earliest span. No recursion: chains are deep.
 */
export const placedSpans = (spans: readonly Span[]): readonly PlacedSpan[] => {
  const sorted = [...spans].sort(earlier);
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const isTop = ({ span_id, parent_span_id }: Span): boolean =>
    parent_span_id === null || parent_span_id === span_id || !ids.has(parent_span_id);
  const children = Map.groupBy(
    sorted.filter((span) => !isTop(span)),
    ({ parent_span_id }) => parent_span_id,
  );
  const placed: PlacedSpan[] = [];
  const seen = new Set<Span>();
  const enter = (top: Span): void => {
    const stack: { readonly span: Span; readonly parent: number | null }[] = [{ span: top, parent: null }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { span, parent } = next;
      if (seen.has(span)) continue;
      seen.add(span);
      const number = placed.length + 1;
      placed.push({ span, number, parent, orphan: parent === null && span.parent_span_id !== null });
      for (const child of children.get(span.span_id)?.toReversed() ?? []) stack.push({ span: child, parent: number });
    }
  };
  for (const span of sorted) if (isTop(span)) enter(span);
  for (const span of sorted) if (!seen.has(span)) enter(span);
  return placed;
};
