import { compareRates } from "../../../lib/domain/statistics/compare.ts";
import type { Observation } from "../../../lib/domain/statistics/observation.ts";

/** A trace as the independent evaluation of alert rules knows it. */
export interface ReferenceTrace {
  readonly start: number;
  readonly session: string;
  readonly failed: boolean;
  /** Milliseconds. */
  readonly latency: number;
  readonly cost: number;
}

export interface ReferenceTransition {
  readonly transition: "raised" | "cleared";
  readonly end: number;
}

/** Decides on a window; null if it has too little data. */
export type ReferenceTest = (window: readonly ReferenceTrace[], earlier: readonly ReferenceTrace[]) => boolean | null;

const failures = (traces: readonly ReferenceTrace[], side: string): readonly Observation[] =>
  traces.map(({ failed, session }) => ({ value: Number(failed), cluster: `${side} ${session}` }));

const sortedLatency = (traces: readonly ReferenceTrace[], share: number): number =>
  traces.map(({ latency }) => latency).toSorted((a, b) => a - b)[Math.ceil(share * traces.length) - 1] ?? 0;

/** The tests of the rules that the history is evaluated by, from all traces of a window. */
export const referenceTests = {
  moreErrors: (window, earlier) => {
    if (window.length < 10 || earlier.length < 10) return null;
    const level = { upper: 0.995, z: 2.5758293035489004 };
    const { interval } = compareRates(failures(earlier, "before"), failures(window, "after"), { level });
    return interval === null ? null : interval.lower > 0.02;
  },
  slowMedian: (window) => (window.length < 10 ? null : sortedLatency(window, 0.5) > 3_000),
  costly: (window) => window.reduce((sum, { cost }) => sum + cost, 0) > 1,
  silent: (window) => (window.length < 1 ? true : null),
} satisfies Record<string, ReferenceTest>;

/** Evaluates consecutive windows: an alert begins at once and ends after two windows without one. */
export const referenceTransitions = (
  traces: readonly ReferenceTrace[],
  { first, length, count, test }: { first: number; length: number; count: number; test: ReferenceTest },
): readonly ReferenceTransition[] => {
  const transitions: ReferenceTransition[] = [];
  const between = (from: number, to: number) => traces.filter(({ start }) => start >= from && start < to);
  let [isRaised, quiet] = [false, 0];
  for (let number = 1; number <= count; number += 1) {
    const end = first + number * length;
    const verdict = test(between(end - length, end), between(end - 2 * length, end - length));
    quiet = verdict === true ? 0 : quiet + 1;
    if (verdict === true && !isRaised) transitions.push({ transition: "raised", end });
    if (isRaised && quiet === 2) transitions.push({ transition: "cleared", end });
    isRaised = verdict === true || (isRaised && quiet < 2);
  }
  return transitions;
};
