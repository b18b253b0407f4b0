import { evaluate, type Evaluation } from "./evaluate.ts";
import type { AlertSettings } from "./fields.ts";
import { wasAlert, withWindow, type AlertWindows } from "./alert-windows.ts";
import { baselineEnd, windowLength } from "./rule.ts";
import { isAlertWindow, stepOf, type AlertState, type Step } from "./state.ts";
import type { WindowSums } from "./sums.ts";

/** The decision on a window, and the state after it. */
export interface WindowStep extends Step {
  /** End of the window, epoch milliseconds. */
  readonly end: number;
  readonly evaluation: Evaluation;
  /** The windows that were alerts, with this one. */
  readonly alertWindows: AlertWindows;
}

/** Returns the ends of the windows that are read to evaluate some windows. */
export const endsToRead = (settings: AlertSettings, ends: readonly number[]): ReadonlySet<number> =>
  new Set(ends.flatMap((end) => [end, baselineEnd(settings, end) ?? end]));

/** What is known of a rule's windows before an evaluation. */
interface KnownWindows {
  /** True if the window with an end lacks data. */
  readonly isGap: (end: number) => boolean;
  readonly alertWindows: AlertWindows;
}

/**
 * Evaluates windows of a rule, one after the other. A window that lacks data, or whose baseline does, changes no state.
 *
 * @param sums sums of the windows of `endsToRead` by their ends.
 */
export const evaluateWindows = (
  settings: AlertSettings,
  first: AlertState,
  ends: readonly number[],
  sums: (end: number) => WindowSums,
  knownWindows: KnownWindows = { isGap: () => false, alertWindows: 0n },
): readonly WindowStep[] => {
  let [state, alertWindows] = [first, knownWindows.alertWindows];
  return ends.map((end) => {
    const reference = baselineEnd(settings, end);
    const isGap = knownWindows.isGap(end) || (reference !== null && knownWindows.isGap(reference));
    const complete = evaluate(settings, sums(end), reference === null ? null : sums(reference));
    const evaluation: Evaluation = isGap ? { ...complete, verdict: "cannot_tell" } : complete;
    const age = (state.windowEnd - end) / windowLength(settings.window);
    const step: Step = isGap
      ? { state: { ...state, windowEnd: Math.max(state.windowEnd, end) }, transition: null }
      : stepOf(state, end, evaluation.verdict, settings, wasAlert(alertWindows, age));
    state = step.state;
    alertWindows = withWindow(alertWindows, age, isAlertWindow(evaluation.verdict, settings.no_data));
    return { ...step, end, evaluation, alertWindows };
  });
};
