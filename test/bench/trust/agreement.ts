import type { Random } from "../../support/random.ts";

/** A judgement of a trace with a known outcome. */
export interface Judged {
  /** Score value from 0 to 1. */
  readonly value: number;
  readonly passed: boolean;
  /** Known outcome of the trace. */
  readonly solved: boolean;
  /** The trace's task; traces of one task are not independent evidence. */
  readonly task: string;
}

const share = (part: number, total: number): number | null => (total === 0 ? null : part / total);

const count = (judged: readonly Judged[], passed: boolean, solved: boolean): number =>
  judged.filter((each) => each.passed === passed && each.solved === solved).length;

/** Share of solved traces that pass; null without solved traces. */
export const sensitivity = (judged: readonly Judged[]): number | null =>
  share(count(judged, true, true), count(judged, true, true) + count(judged, false, true));

/** Share of unsolved traces that do not pass; null without unsolved traces. */
export const specificity = (judged: readonly Judged[]): number | null =>
  share(count(judged, false, false), count(judged, false, false) + count(judged, true, false));

/** Cohen's kappa of passing and being solved: 0 is chance, 1 full agreement; null when undefined. */
export const kappa = (judged: readonly Judged[]): number | null => {
  const total = judged.length;
  if (total === 0) return null;
  const passed = count(judged, true, true) + count(judged, true, false);
  const solved = count(judged, true, true) + count(judged, false, true);
  const agreed = (count(judged, true, true) + count(judged, false, false)) / total;
  const chance = (passed * solved + (total - passed) * (total - solved)) / total ** 2;
  return chance === 1 ? 0 : (agreed - chance) / (1 - chance);
};

/**
 * Probability that a solved trace has a higher value than an unsolved one, counting ties half; null if one kind is
 * missing.
 */
export const areaUnderCurve = (judged: readonly Judged[]): number | null => {
  const valuesOf = (solved: boolean): readonly number[] =>
    judged.filter((each) => each.solved === solved).map(({ value }) => value);
  const [good, bad] = [valuesOf(true), valuesOf(false)];
  let wins = 0;
  for (const a of good) for (const b of bad) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return share(wins, good.length * bad.length);
};

const resamples = 1000;

/** The 95 % bootstrap interval of a figure, resampled by whole tasks; null when undefined. */
export const interval = (
  judged: readonly Judged[],
  figure: (judged: readonly Judged[]) => number | null,
  random: Random,
): readonly [number, number] | null => {
  const tasks = [...Map.groupBy(judged, ({ task }) => task).values()];
  const drawn = (): readonly Judged[] => tasks.flatMap(() => tasks[random.below(tasks.length)] ?? []);
  const figures = Array.from({ length: resamples }, () => figure(drawn()))
    .filter((value) => value !== null)
    .toSorted((a, b) => a - b);
  const [low, high] = [figures[Math.floor(figures.length * 0.025)], figures[Math.ceil(figures.length * 0.975) - 1]];
  return low === undefined || high === undefined ? null : [low, high];
};
