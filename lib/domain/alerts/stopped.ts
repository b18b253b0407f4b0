import type { Evaluation } from "./evaluate.ts";
import type { AlertState, Step } from "./state.ts";

/** Signal of the built-in alert of each monitor: its evaluation has stopped. */
export const stoppedSignal = "evaluation";

/** Name of that alert. @param monitor name of the monitor. */
export const stoppedName = (monitor: string): string => `Evaluation of ${monitor} has stopped`;

/** Severity of that alert. */
export const stoppedSeverity = "critical";

/** The end of a monitor's run. */
export interface RunEnd {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Pairs of a target and a metric with a successful score. */
  readonly scored: number;
  /** Pairs without one, of targets that exist. */
  readonly failed: number;
  /** Why pairs failed, for the user; null if none did. */
  readonly message: string | null;
}

/**
 * Returns the state of a monitor's built-in alert after a run: an alert while runs have targets and score none of them.
 *
 * @returns null for a run that decides nothing: without targets, or older than the last one that did.
 */
export const stoppedStep = (
  before: AlertState,
  { at, scored, failed, message }: RunEnd,
): (Step & { readonly evaluation: Evaluation }) | null => {
  const count = scored + failed;
  if (count === 0 || at <= before.windowEnd) return null;
  const [wasAlert, isAlert] = [before.name === "ALERT", scored === 0];
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
      value: scored / count,
      reference: 0,
      count,
      referenceCount: null,
      interval: null,
      reason: message,
    },
  };
};
