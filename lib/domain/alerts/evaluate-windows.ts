import { evaluate, type Evaluation } from "./evaluate.ts";
import type { AlertSettings } from "./fields.ts";
import { baselineEnd } from "./rule.ts";
import { stepOf, type AlertState, type Step } from "./state.ts";
import type { WindowSums } from "./sums.ts";

/** The decision on a window, and the state after it. */
export interface WindowStep extends Step {
  /** End of the window, epoch milliseconds. */
  readonly end: number;
  readonly evaluation: Evaluation;
}

/** Returns the ends of the windows that are read to evaluate some windows. */
export const endsToRead = (settings: AlertSettings, ends: readonly number[]): ReadonlySet<number> =>
  new Set(ends.flatMap((end) => [end, baselineEnd(settings, end) ?? end]));

/**
 * Evaluates windows of a rule, one after the other. A window that lacks data, or whose baseline does, changes no state.
 *
 * @param sums sums of the windows of `endsToRead` by their ends.
 * @param gaps ends of windows that lack data.
 */
export const evaluateWindows = (
  settings: AlertSettings,
  first: AlertState,
  ends: readonly number[],
  sums: (end: number) => WindowSums,
  gaps: ReadonlySet<number> = new Set(),
): readonly WindowStep[] => {
  let state = first;
  return ends.map((end) => {
    const reference = baselineEnd(settings, end);
    const evaluation = evaluate(settings, sums(end), reference === null ? null : sums(reference));
    if (gaps.has(end) || (reference !== null && gaps.has(reference))) {
      state = { ...state, windowEnd: Math.max(state.windowEnd, end) };
      return { state, transition: null, end, evaluation: { ...evaluation, verdict: "cannot_tell" } };
    }
    const step = stepOf(state, end, evaluation.verdict, settings);
    state = step.state;
    return { ...step, end, evaluation };
  });
};
