import type { Evaluation } from "./evaluate.ts";
import type { AlertState, Step } from "./state.ts";

/** Signal of the built-in alert of each monitor: its evaluation has stopped. */
export const stoppedSignal = "evaluation";

/** Name of that alert. @param monitor name of the monitor. */
export const stoppedName = (monitor: string): string => `Evaluation of ${monitor} has stopped`;

/** Severity of that alert. */
export const stoppedSeverity = "critical";

/** The end of a monitor's run, or the moment at which a run waits or could not start. */
export interface RunEnd {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Pairs of a target and a metric with a successful score. */
  readonly scored: number;
  /** Pairs without one, of targets that exist. */
  readonly failed: number;
  /** Why pairs failed or the run cannot go on, for the user; null if nothing failed. */
  readonly message: string | null;
  /** True if no run has ended: one waits, or could not start. */
  readonly isBlocked?: true;
}

/**
 * Returns the state of a monitor's built-in alert after a run: an alert while runs have targets and score none of them, or cannot go on.
 *
 * @returns null for a run that decides nothing: without targets, older than the last one that did, or blocked as the one before.
 */
export const stoppedStep = (
  before: AlertState,
  { at, scored, failed, message, isBlocked }: RunEnd,
): (Step & { readonly evaluation: Evaluation }) | null => {
  const count = scored + failed;
  const [wasAlert, isAlert] = [before.name === "ALERT", scored === 0];
  if (at <= before.windowEnd || (isBlocked === true ? wasAlert : count === 0)) return null;
  const name = isAlert ? "ALERT" : "OK";
  return {
    state: {
      name,
      windowEnd: at,
      calm: 0,
      notifiedAt: isAlert ? (wasAlert ? before.notifiedAt : at) : null,
      since: name === before.name ? before.since : at,
    },
    transition: isAlert === wasAlert ? null : isAlert ? "raised" : "cleared",
    evaluation: {
      verdict: isAlert ? "alert" : "ok",
      value: count === 0 ? null : scored / count,
      reference: 0,
      count,
      referenceCount: null,
      interval: null,
      reason: message,
    },
  };
};
