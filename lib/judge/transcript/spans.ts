import { splitError } from "../../domain/traces/error-text.ts";
import type { Span } from "../../domain/traces/trace.ts";

/** A span with its number and parent in the transcript. */
export interface NumberedSpan {
  readonly span: Span;
  /** Number in the order of the transcript, from 1. */
  readonly number: number;
  /** Number of the parent span; null for a top-level span. */
  readonly parent: number | null;
  /** True if the span names a parent that the trace does not have, or that is its own descendant. */
  readonly isOrphan: boolean;
}

const compareByStart = (a: Span, b: Span): number => {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  if (a.span_id === b.span_id) return 0;
  return a.span_id < b.span_id ? -1 : 1;
};

/**
 * Orders spans depth first, siblings by start and then by id. Every span is listed exactly once: a cycle of parents is entered
 * at its earliest span. Iterative, because chains of spans are deep.
 */
export const numberedSpans = (spans: readonly Span[]): readonly NumberedSpan[] => {
  const sortedSpans = [...spans].sort(compareByStart);
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const isTop = ({ span_id, parent_span_id }: Span): boolean =>
    parent_span_id === null || parent_span_id === span_id || !ids.has(parent_span_id);
  const children = Map.groupBy(
    sortedSpans.filter((span) => !isTop(span)),
    ({ parent_span_id }) => parent_span_id,
  );
  const result: NumberedSpan[] = [];
  const visited = new Set<Span>();
  const enter = (top: Span): void => {
    const stack: { readonly span: Span; readonly parent: number | null }[] = [{ span: top, parent: null }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { span, parent } = next;
      if (visited.has(span)) continue;
      visited.add(span);
      const number = result.length + 1;
      result.push({ span, number, parent, isOrphan: parent === null && span.parent_span_id !== null });
      for (const child of children.get(span.span_id)?.toReversed() ?? []) stack.push({ span: child, parent: number });
    }
  };
  for (const span of sortedSpans) if (isTop(span)) enter(span);
  for (const span of sortedSpans) if (!visited.has(span)) enter(span);
  return result;
};

/** True for a span with an error. */
const isFailed = ({ span }: NumberedSpan): boolean => span.status === "ERROR" || span.error !== null;

/** Importance of a span in a transcript, 3 the highest: important spans are shown first and at greater length. */
export type SpanPriority = 0 | 1 | 2 | 3;

const errorOf = ({ span }: NumberedSpan): string =>
  `${span.kind} ${span.name} ${splitError(span.error ?? "")
    .head.slice(0, 200)
    .replace(/\d+/gu, "0")}`;

/**
 * Computes the priority of each span. 3: the first and last span, the last model call, and the first and last failure of each
 * kind. 2: other failures. 1: neighbours of failures, spans with a user turn and first calls of their kind. 0: all other spans.
 */
export const spanPriorities = (spans: readonly NumberedSpan[], turns: ReadonlySet<number>): readonly SpanPriority[] => {
  const priorities: SpanPriority[] = spans.map(() => 0);
  const raise = (index: number, priority: SpanPriority): void => {
    const current = priorities[index];
    if (current !== undefined && current < priority) priorities[index] = priority;
  };
  const calls = new Set<string>();
  const failures = new Map<string, number>();
  for (const [index, numberedSpan] of spans.entries()) {
    const { span, number, parent } = numberedSpan;
    if (turns.has(number)) raise(index, 1);
    const call = `${span.kind} ${span.name}`;
    if (!calls.has(call)) raise(index, 1);
    calls.add(call);
    if (!isFailed(numberedSpan)) continue;
    raise(index, failures.has(errorOf(numberedSpan)) ? 2 : 3);
    failures.set(errorOf(numberedSpan), index);
    for (const near of [index - 1, index + 1]) raise(near, 1);
    if (parent !== null) raise(parent - 1, 1);
  }
  for (const last of failures.values()) raise(last, 3);
  raise(0, 3);
  raise(spans.length - 1, 3);
  raise(
    spans.findLastIndex(({ span }) => span.kind === "LLM"),
    3,
  );
  return priorities;
};
