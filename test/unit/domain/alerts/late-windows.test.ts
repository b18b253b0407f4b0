import { expect, test } from "vitest";
import { withWindow } from "../../../../lib/domain/alerts/alert-windows.ts";
import { evaluateWindows } from "../../../../lib/domain/alerts/evaluate-windows.ts";
import { lateWindows } from "../../../../lib/domain/alerts/late-windows.ts";
import { firstState, stepOf, type AlertState } from "../../../../lib/domain/alerts/state.ts";
import { noSums } from "../../../../lib/domain/alerts/sums.ts";
import { someAlertSettings } from "../../../support/alerts/workers.ts";

const minute = 60_000;

test("late windows are those of the present grid, after its begin and up to the last evaluated one", () => {
  const settings = someAlertSettings({ window: "5m" });
  const anchor = 100 * minute;
  const changedEnds = [95, 100, 105, 107, 110, 115, 120].map((at) => at * minute);

  const { ends, remaining } = lateWindows({ anchor, settings }, changedEnds, 115 * minute);

  expect([ends, remaining]).toEqual([new Set([105, 110, 115].map((at) => at * minute)), new Set()]);
});

test("the windows that were alerts are remembered by their ages, and forgotten where windows begin anew", () => {
  const windows = withWindow(withWindow(0n, -1, true), 2, true);

  expect([
    windows,
    withWindow(windows, -1, false),
    withWindow(windows, -0.5, false),
    withWindow(windows, -0.5, true),
  ]).toEqual([0b101n, 0b1010n, 0n, 1n]);
});

test("a late window that lacks data leaves the last evaluated window as it was", () => {
  const settings = someAlertSettings({ window: "5m", signal: "volume", no_data: "ok" });
  const state: AlertState = { ...firstState, name: "OK", windowEnd: 20 * minute };
  const windows = { isGap: () => true, alertWindows: 0n };

  const steps = evaluateWindows(settings, state, [10 * minute, 25 * minute], () => noSums, windows);

  expect(steps.map((step) => step.state.windowEnd)).toEqual([20 * minute, 25 * minute]);
});

test("reminders of an alert that a late window raised are counted from its event", () => {
  const settings = { no_data: "ok", repeat_every: "15m" } as const;
  const before: AlertState = { ...firstState, name: "OK", windowEnd: 60 * minute };

  const raised = stepOf(before, 10 * minute, "alert", settings);
  const next = stepOf(raised.state, 65 * minute, "alert", settings);
  const last = stepOf(next.state, 75 * minute, "alert", settings);

  expect([raised, next, last].map(({ transition }) => transition)).toEqual(["raised", null, "reminded"]);
  expect(raised.state).toMatchObject({ windowEnd: 60 * minute, notifiedAt: 60 * minute, since: 10 * minute });
});
