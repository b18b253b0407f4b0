import { epochOf, instantAt, type Instant } from "../instant.ts";
import { invalid } from "../refusal.ts";
import type { AlertSettings } from "./fields.ts";
import { baselineEnd, windowLength } from "./rule.ts";

/** Longest range of a preview in weeks, and the most windows in it. */
export const [maxPreviewWeeks, maxPreviewWindows] = [8, 500];

const [defaultWeeks, defaultWindows] = [4, 200];

/** Earliest begin of a preview: a year after the epoch, so that what windows are compared with lies after it too. */
const [firstYear, firstBegin] = [1971, Date.UTC(1971, 0)];

const [minute, week] = [60_000, 7 * 86_400_000];

/** A range of instants, epoch milliseconds, the end excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the ends of the windows of a preview, oldest first. The last one ends with the range, at a whole minute.
 *
 * @throws Refusal `invalid` if the range is longer than 8 weeks or 500 windows, shorter than a window, or begins before 1971.
 */
export const previewEnds = (
  { window }: Pick<AlertSettings, "window">,
  { from, to }: { readonly from: Instant | null; readonly to: Instant | null },
  now: number,
): readonly number[] => {
  const length = windowLength(window);
  const end = Math.floor((to === null ? now : epochOf(to)) / minute) * minute;
  const begin = from === null ? end - Math.min(defaultWeeks * week, defaultWindows * length) : epochOf(from);
  const count = Math.floor((end - begin) / length);
  const refusal = (advice: string) => invalid(["body", from === null ? "date_to" : "date_from"], advice);
  if (begin < firstBegin) throw refusal(`The range should not begin before ${firstYear}.`);
  if (count < 1) throw refusal(`The range should have at least one window of ${window} before ${instantAt(end)}.`);
  if (end - begin > maxPreviewWeeks * week) throw refusal(`The range should have at most ${maxPreviewWeeks} weeks.`);
  if (count > maxPreviewWindows)
    throw refusal(
      `The range has ${count.toLocaleString("en")} windows of ${window}, and a preview at most ${maxPreviewWindows}. Choose a later date_from or a longer window.`,
    );
  return Array.from({ length: count }, (_, index) => end - (count - 1 - index) * length);
};

/** Returns the ranges of the windows that a preview evaluates, and of those that they are compared with. */
export const previewRanges = (
  condition: Pick<AlertSettings, "window" | "compare_with">,
  ends: readonly number[],
): readonly TimeRange[] => {
  const [length, first, last] = [windowLength(condition.window), ends[0] ?? 0, ends.at(-1) ?? 0];
  const range = { from: first - length, to: last };
  const [firstBaseline, lastBaseline] = [baselineEnd(condition, first), baselineEnd(condition, last)];
  if (firstBaseline === null || lastBaseline === null) return [range];
  const earlier = { from: firstBaseline - length, to: lastBaseline };
  return earlier.to < range.from ? [earlier, range] : [{ from: earlier.from, to: range.to }];
};
