import type { Span } from "../../client/interface.ts";

/** A span in its place: below the one that made it. */
export interface Node {
  readonly span: Span;
  /** Steps below the trace, from 0. */
  readonly depth: number;
  /** Milliseconds after the first of the trace, and until its end; a span that has none ends where it began. */
  readonly from: number;
  readonly to: number;
  /** Spans below it, at any depth. */
  readonly below: number;
}

const at = (instant: string): number => Date.parse(instant);

/** Spans as they lie below each other, each before what it made, by start. A span whose parent is not there lies at the top; so does one of a circle. */
export const treeOf = (spans: readonly Span[]): readonly Node[] => {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const children = Map.groupBy(spans, ({ parent_span_id: parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  );
  const begin = spans.reduce((least, { started_at }) => Math.min(least, at(started_at)), Number.POSITIVE_INFINITY);
  const nodes: (Node & { below: number })[] = [];
  const placed = new Set<string>();
  const place = (roots: readonly Span[]): void => {
    const waiting: { readonly span: Span; readonly depth: number; readonly above: readonly { below: number }[] }[] =
      roots.toReversed().map((span) => ({ span, depth: 0, above: [] }));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { span, depth, above } = next;
      if (placed.has(span.span_id)) continue;
      placed.add(span.span_id);
      const from = at(span.started_at) - begin;
      const to = span.ended_at === null ? from + (span.latency_ms ?? 0) : at(span.ended_at) - begin;
      const node = { span, depth, from, to: Math.max(from, to), below: 0 };
      for (const each of above) each.below += 1;
      nodes.push(node);
      const own = children.get(span.span_id) ?? [];
      for (const child of own.toReversed()) waiting.push({ span: child, depth: depth + 1, above: [...above, node] });
    }
  };
  place(children.get(null) ?? []);
  place(spans.filter(({ span_id }) => !placed.has(span_id)));
  return nodes;
};
