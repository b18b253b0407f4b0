import type { Random } from "../../support/random.ts";

/** A judgement beside what is known of its trace. */
export interface Judged {
  /** In [0, 1]. */
  readonly value: number;
  readonly passed: boolean;
  /** The trace's known outcome. */
  readonly solved: boolean;
  /** What the trace was about: traces of one task are no independent evidence. */
  readonly task: string;
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const count = (judged: readonly Judged[], passed: boolean, solved: boolean): number =>
  judged.filter((each) => each.passed === passed && each.solved === solved).length;

/** The share of solved traces that pass; null without any. */
export const sensitivity = (judged: readonly Judged[]): number | null =>
  share(count(judged, true, true), count(judged, true, true) + count(judged, false, true));

/** The share of unsolved traces that do not pass; null without any. */
export const specificity = (judged: readonly Judged[]): number | null =>
  share(count(judged, false, false), count(judged, false, false) + count(judged, true, false));

/** Cohen's kappa of passing and being solved: 0 is chance, 1 full agreement; null of nothing. */
export const kappa = (judged: readonly Judged[]): number | null => {
  const total = judged.length;
  if (total === 0) return null;
  const passed = count(judged, true, true) + count(judged, true, false);
  const solved = count(judged, true, true) + count(judged, false, true);
  const agreed = (count(judged, true, true) + count(judged, false, false)) / total;
  const chance = (passed * solved + (total - passed) * (total - solved)) / total ** 2;
  return chance === 1 ? 0 : (agreed - chance) / (1 - chance);
};

/** How often a solved trace has the higher value than an unsolved one, ties counted half; null where one kind is missing. */
export const areaUnderCurve = (judged: readonly Judged[]): number | null => {
  const of = (solved: boolean): readonly number[] =>
    judged.filter((each) => each.solved === solved).map(({ value }) => value);
  const [good, bad] = [of(true), of(false)];
  let wins = 0;
  for (const a of good) for (const b of bad) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return share(wins, good.length * bad.length);
};

const resamples = 1000;

/** The 95 % interval of a figure: whole tasks are drawn again and again, with replacement; null where it cannot be told. */
export const interval = (
  judged: readonly Judged[],
  figure: (judged: readonly Judged[]) => number | null,
  random: Random,
): readonly [number, number] | null => {
  const tasks = [...Map.groupBy(judged, ({ task }) => task).values()];
  const drawn = (): readonly Judged[] => tasks.flatMap(() => tasks[random.below(tasks.length)] ?? []);
  const found = Array.from({ length: resamples }, () => figure(drawn()))
    .filter((value) => value !== null)
    .toSorted((a, b) => a - b);
  const [low, high] = [found[Math.floor(found.length * 0.025)], found[Math.ceil(found.length * 0.975) - 1]];
  return low === undefined || high === undefined ? null : [low, high];
};
