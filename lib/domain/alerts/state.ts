import type { Evaluation } from "./evaluate.ts";
import type { AlertSettings } from "./fields.ts";
import { windowLength } from "./rule.ts";

export const alertStates = ["OK", "ALERT", "NO_DATA"] as const;
type AlertStateName = (typeof alertStates)[number];

/** Changes of a rule's state that are kept in its history. */
export const alertTransitions = ["raised", "cleared", "reminded"] as const;
export type AlertTransition = (typeof alertTransitions)[number];

/** State of a rule after a window. Times are epoch milliseconds. */
export interface AlertState {
  readonly name: AlertStateName;
  /** End of the last window that was evaluated; 0 before the first. */
  readonly windowEnd: number;
  /** Windows in a row without an alert, while the state is ALERT. */
  readonly calm: number;
  /** End of the last window when the alert was raised, or when it was reminded of last; null unless the state is ALERT. */
  readonly notifiedAt: number | null;
  /** End of the window that brought this state; null for the first state, and if it is older than this field. */
  readonly since: number | null;
}

export const firstState: AlertState = { name: "NO_DATA", windowEnd: 0, calm: 0, notifiedAt: null, since: null };

/** Windows in a row without an alert that clear one. */
const clearingWindows = 2;

/** True if a lasting alert is followed by reminders. */
export const awaitsReminder = ({ name }: AlertState, { repeat_every: repeatEvery }: AlertSettings): boolean =>
  name === "ALERT" && repeatEvery !== null;

/** A state after a window, and how it changed; null if nobody has to be told. */
export interface Step {
  readonly state: AlertState;
  readonly transition: AlertTransition | null;
}

/** True if a window with a verdict is an alert. */
export const isAlertWindow = (verdict: Evaluation["verdict"], noData: AlertSettings["no_data"]): boolean =>
  verdict === "alert" || (verdict === "no_data" && noData === "alert");

/**
 * Returns the state of a rule after a window. A window whose sums have changed since may be evaluated again: it can raise an
 * alert, but neither clear one nor count as calm a second time.
 *
 * @param wasAlert true if the window was an alert when it was evaluated before: it raises no second one.
 */
export const stepOf = (
  before: AlertState,
  windowEnd: number,
  verdict: Evaluation["verdict"],
  { no_data: noData, repeat_every: repeatEvery }: Pick<AlertSettings, "no_data" | "repeat_every">,
  wasAlert = false,
): Step => {
  const isRepeated = windowEnd <= before.windowEnd;
  const isAlert = isAlertWindow(verdict, noData);
  if (isAlert && before.name === "ALERT") {
    const notifiedAt = before.notifiedAt ?? windowEnd;
    const isReminder = !isRepeated && repeatEvery !== null && windowEnd - notifiedAt >= windowLength(repeatEvery);
    return {
      state: {
        name: "ALERT",
        windowEnd: Math.max(windowEnd, before.windowEnd),
        calm: 0,
        notifiedAt: isReminder ? windowEnd : notifiedAt,
        since: before.since,
      },
      transition: isReminder ? "reminded" : null,
    };
  }
  if (isAlert && wasAlert) return { state: before, transition: null };
  if (isAlert)
    return {
      state: {
        name: "ALERT",
        windowEnd: Math.max(windowEnd, before.windowEnd),
        calm: 0,
        // Reminders follow the event, which is sent now.
        notifiedAt: Math.max(windowEnd, before.windowEnd),
        since: windowEnd,
      },
      transition: "raised",
    };
  if (isRepeated) return { state: before, transition: null };
  if (verdict !== "ok" && noData === "keep") return { state: { ...before, windowEnd }, transition: null };
  const calm = before.calm + 1;
  if (before.name === "ALERT" && calm < clearingWindows)
    return { state: { ...before, windowEnd, calm }, transition: null };
  const name = verdict === "ok" ? "OK" : "NO_DATA";
  return {
    state: { name, windowEnd, calm: 0, notifiedAt: null, since: name === before.name ? before.since : windowEnd },
    transition: before.name === "ALERT" ? "cleared" : null,
  };
};
