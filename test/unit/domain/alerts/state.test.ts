import { expect, test } from "vitest";
import { firstState, stepOf, type AlertState } from "../../../../lib/domain/alerts/state.ts";

test("a state lasts since the window that brought it, through calm windows, reminders and repeated windows", () => {
  const settings = { no_data: "ok", repeat_every: "5m" } as const;
  const windows = [
    [300_000, "no_data", null],
    [600_000, "ok", 600_000],
    [900_000, "ok", 600_000],
    [1_200_000, "alert", 1_200_000],
    [1_500_000, "alert", 1_200_000],
    [1_500_000, "alert", 1_200_000],
    [1_800_000, "ok", 1_200_000],
    [2_100_000, "no_data", 2_100_000],
    [2_400_000, "ok", 2_400_000],
  ] as const;
  let state: AlertState = firstState;
  for (const [end, verdict, since] of windows) {
    ({ state } = stepOf(state, end, verdict, settings));
    expect([end, state.since]).toEqual([end, since]);
  }
});

/** Changes of a rule's state by windows of five minutes, each with its number. */
const transitionsOf = (
  windows: readonly (readonly [window: number, verdict: "alert" | "ok"])[],
  repeat_every: "15m" | null = null,
) => {
  let state: AlertState = firstState;
  return windows.map(([window, verdict]) => {
    const step = stepOf(state, window * 300_000, verdict, { no_data: "keep", repeat_every });
    ({ state } = step);
    return step.transition;
  });
};

test("two calm windows clear an alert; one that is evaluated again does not count twice", () => {
  const windows = [
    [1, "alert"],
    [2, "ok"],
    [2, "ok"],
    [3, "ok"],
  ] as const;
  expect(transitionsOf(windows)).toEqual(["raised", null, null, "cleared"]);
});

test("a lasting alert is told again after the time that its rule names, and not before", () => {
  const windows = Array.from({ length: 7 }, (_, index) => [index + 1, "alert"] as const);
  expect(transitionsOf(windows, "15m")).toEqual(["raised", null, null, "reminded", null, null, "reminded"]);
});
