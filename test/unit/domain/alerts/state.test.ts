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
