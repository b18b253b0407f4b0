import type { Span } from "../../client/interface.ts";

/** Node of a trace's span tree. */
export interface SpanNode {
  readonly span: Span;
  /** Number of ancestors in the tree, 0 for a root span. */
  readonly depth: number;
  /** Start, in milliseconds after the first span of the trace. */
  readonly from: number;
  /** End, in milliseconds after the first span of the trace; without an end time the start plus the latency, if known. */
  readonly to: number;
  /** Number of spans below this one, at any depth. */
  readonly descendantCount: number;
}

/** True if a span failed: it has status ERROR or an error. */
export const hasFailed = ({ status, error }: Pick<Span, "status" | "error">): boolean =>
  status === "ERROR" || error !== null;

const timeOf = (instant: string): number => Date.parse(instant);

/** Returns the nodes of the span tree in depth-first order. Spans without a known parent, or in a cycle of parents, are roots. */
export const buildSpanTree = (spans: readonly Span[]): readonly SpanNode[] => {
  const spanIds = new Set(spans.map(({ span_id }) => span_id));
  const children = Map.groupBy(spans, ({ parent_span_id: parent }) =>
    parent !== null && spanIds.has(parent) ? parent : null,
  );
  const begin = spans.reduce(
    (earliest, { started_at }) => Math.min(earliest, timeOf(started_at)),
    Number.POSITIVE_INFINITY,
  );
  const nodes: (SpanNode & { descendantCount: number })[] = [];
  const visitedIds = new Set<string>();
  const visit = (roots: readonly Span[]): void => {
    const stack: {
      readonly span: Span;
      readonly depth: number;
      readonly ancestors: readonly { descendantCount: number }[];
    }[] = roots.toReversed().map((span) => ({ span, depth: 0, ancestors: [] }));
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { span, depth, ancestors } = next;
      if (visitedIds.has(span.span_id)) continue;
      visitedIds.add(span.span_id);
      const from = timeOf(span.started_at) - begin;
      const to = span.ended_at === null ? from + (span.latency_ms ?? 0) : timeOf(span.ended_at) - begin;
      const node = { span, depth, from, to: Math.max(from, to), descendantCount: 0 };
      for (const ancestor of ancestors) ancestor.descendantCount += 1;
      nodes.push(node);
      const childSpans = children.get(span.span_id) ?? [];
      for (const child of childSpans.toReversed())
        stack.push({ span: child, depth: depth + 1, ancestors: [...ancestors, node] });
    }
  };
  visit(children.get(null) ?? []);
  visit(spans.filter(({ span_id }) => !visitedIds.has(span_id)));
  return nodes;
};
