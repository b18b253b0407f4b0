import type { NumberedSpan } from "./span-order.ts";
import type { Repetition } from "./repetitions.ts";

/** Importance of a span in a transcript, 3 the highest: important spans are shown first and at greater length. */
export type SpanPriority = 0 | 1 | 2 | 3;

const isFailed = ({ span }: NumberedSpan): boolean => span.status === "ERROR" || span.error !== null;

const errorOf = ({ span }: NumberedSpan): string =>
  `${span.kind} ${span.name} ${(span.error ?? "").slice(0, 200).replace(/\d+/gu, "0")}`;

/**
 * Computes the priority of each span. 3: the first and last span, the last model call, and the first and last failure of each
 * kind. 2: other failures. 1: neighbours of failures, spans with a user turn, first calls of their kind, and the first and last
 * round of a repetition. 0: all other spans.
 */
export const spanPriorities = (
  spans: readonly NumberedSpan[],
  turns: ReadonlySet<number>,
  repetitions: readonly Repetition[],
): readonly SpanPriority[] => {
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
  for (const { from, to, period } of repetitions) {
    for (let offset = 0; offset < period; offset += 1) {
      raise(from + offset, 1);
      raise(to - 1 - offset, 1);
    }
  }
  raise(0, 3);
  raise(spans.length - 1, 3);
  raise(
    spans.findLastIndex(({ span }) => span.kind === "LLM"),
    3,
  );
  return priorities;
};
