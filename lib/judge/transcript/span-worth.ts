import type { PlacedSpan } from "./span-order.ts";
import type { Repetition } from "./repetitions.ts";

/** How much a span tells: what is of most worth is shown first and at the greatest length. */
export type Worth = 0 | 1 | 2 | 3;

const isFailed = ({ span }: PlacedSpan): boolean => span.status === "ERROR" || span.error !== null;

const errorOf = ({ span }: PlacedSpan): string =>
  `${span.kind} ${span.name} ${(span.error ?? "").slice(0, 200).replace(/\d+/gu, "0")}`;

/**
 * What each span is worth: 3 the first, the last, the last model's call and each kind of failure, at its first and its last
 * time; 2 other failures; 1 a failure's neighbours, what the user said something in, what is called for the first time and the
 * first and last round of a repetition; 0 the others.
 */
export const spanWorths = (
  spans: readonly PlacedSpan[],
  turns: ReadonlySet<number>,
  repetitions: readonly Repetition[],
): readonly Worth[] => {
  const worths: Worth[] = spans.map(() => 0);
  const raise = (index: number, worth: Worth): void => {
    const known = worths[index];
    if (known !== undefined && known < worth) worths[index] = worth;
  };
  const calls = new Set<string>();
  const failures = new Map<string, number>();
  for (const [index, placed] of spans.entries()) {
    const { span, number, parent } = placed;
    if (turns.has(number)) raise(index, 1);
    const call = `${span.kind} ${span.name}`;
    if (!calls.has(call)) raise(index, 1);
    calls.add(call);
    if (!isFailed(placed)) continue;
    raise(index, failures.has(errorOf(placed)) ? 2 : 3);
    failures.set(errorOf(placed), index);
    for (const near of [index - 1, index + 1]) raise(near, 1);
    if (parent !== null) raise(parent - 1, 1);
  }
  for (const last of failures.values()) raise(last, 3);
  for (const { from, to, period } of repetitions) {
    for (let place = 0; place < period; place += 1) {
      raise(from + place, 1);
      raise(to - 1 - place, 1);
    }
  }
  raise(0, 3);
  raise(spans.length - 1, 3);
  raise(
    spans.findLastIndex(({ span }) => span.kind === "LLM"),
    3,
  );
  return worths;
};
