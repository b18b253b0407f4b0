import { baselineEnd, windowLength, type AlertRule } from "./rule.ts";

/** Windows whose sums changed late that are evaluated in one turn at most. */
const maxLateWindows = 100;

/** The windows of a rule to evaluate again, and those that are left for the next turn, by their ends. */
export interface LateWindows {
  readonly ends: ReadonlySet<number>;
  readonly remaining: ReadonlySet<number>;
}

/**
 * Returns the windows whose sums have changed since they were evaluated, and those that are compared with them.
 *
 * @param changedEnds ends of windows that changed after they had ended, perhaps of former settings.
 * @param windowEnd end of the last evaluated window.
 */
export const lateWindows = (
  { anchor, settings }: Pick<AlertRule, "anchor" | "settings">,
  changedEnds: Iterable<number>,
  windowEnd: number,
): LateWindows => {
  const length = windowLength(settings.window);
  const isEvaluated = (end: number): boolean => end <= windowEnd && end > anchor && (end - anchor) % length === 0;
  const evaluatedEnds = [...changedEnds].filter(isEvaluated).toSorted((a, b) => a - b);
  const ends = evaluatedEnds.slice(0, maxLateWindows).flatMap((end) => {
    const reference = baselineEnd(settings, end);
    return reference === null ? [end] : [end, 2 * end - reference];
  });
  return {
    ends: new Set(ends.filter(isEvaluated)),
    remaining: new Set(evaluatedEnds.slice(maxLateWindows)),
  };
};
