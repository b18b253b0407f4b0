import { expect, test } from "vitest";
import { evaluate } from "../../../../lib/domain/alerts/evaluate.ts";
import type { AlertSettings } from "../../../../lib/domain/alerts/fields.ts";
import { addSums, sumsOf } from "../../../../lib/domain/alerts/sums.ts";
import { someAlertSettings } from "../../../support/alerts/workers.ts";

/** Evaluates a window of traces or scores with these values, each of a session of its own. */
const evaluated = (
  changes: Partial<AlertSettings>,
  values: readonly number[],
  baseline: readonly number[] | null = null,
) => {
  const condition = someAlertSettings({ significance: false, minimum_count: 1, ...changes });
  const sums = (window: readonly number[]) =>
    addSums(window.map((value, index) => sumsOf(condition, { cluster: `session ${index}`, value })));
  return evaluate(condition, sums(values), baseline === null ? null : sums(baseline));
};

test.each([
  ["cost", 0.3, Array(3).fill(0.1)],
  ["cost", 0.7, Array(7).fill(0.1)],
  ["score_mean", 0.7, Array(3).fill(0.7)],
  ["score_mean", 0.1, Array(20).fill(0.1)],
  ["latency_p50", 100, Array(40).fill(100)],
  ["latency_p99", 60_000, Array(40).fill(60_000)],
  ["latency_p50", 100, [100, 100, 101, 101]],
  ["latency_p50", 100, [99, 100, 100.9]],
] as const)("a %s that equals the threshold %j is no alert", (signal, threshold, values) => {
  const { verdict, value } = evaluated({ signal, threshold }, values);
  expect([verdict, (value ?? Infinity) <= threshold]).toEqual(["ok", true]);
});

test.each([
  ["cost", 0.3, [0.1, 0.1, 0.1001]],
  ["score_mean", 0.7, [0.7, 0.7, 0.6999]],
  ["latency_p50", 100, [100, 100.1, 100.1]],
  ["latency_p99", 59_999, Array(40).fill(60_000)],
] as const)("a %s that is worse than the threshold %j by a little is an alert", (signal, threshold, values) => {
  const { verdict, value } = evaluated({ signal, threshold }, values);
  expect([verdict, Math.abs((value ?? 0) / threshold - 1) < 0.01]).toEqual(["alert", true]);
});

test("a change by exactly the tolerance is no alert", () => {
  const costs = evaluated(
    { signal: "cost", compare_with: "previous_window", threshold: 0.5 },
    Array(3).fill(0.1),
    [0.2],
  );
  const means = evaluated({ signal: "score_mean", compare_with: "previous_window", threshold: 0.1 }, [0.6], [0.7]);
  expect([costs.verdict, means.verdict]).toEqual(["ok", "ok"]);
});

test("a mean of equal scores at the threshold is not significantly below it", () => {
  const values = Array<number>(60).fill(0.7);
  expect(evaluated({ signal: "score_mean", threshold: 0.7, significance: true }, values).verdict).not.toBe("alert");
});

test("fewer values than a rule's minimum decide nothing, neither in the window nor in its baseline", () => {
  const condition = { signal: "score_mean", threshold: 0.5, minimum_count: 3 } as const;
  const against = { ...condition, compare_with: "previous_window" } as const;
  const low = [0, 0, 0];

  expect([low.slice(1), low].map((values) => evaluated(condition, values).verdict)).toEqual(["no_data", "alert"]);
  expect(
    [
      [1, 1],
      [1, 1, 1],
    ].map((before) => evaluated(against, low, before).verdict),
  ).toEqual(["cannot_tell", "alert"]);
});

test("a mean below the threshold is an alert if its whole interval is", () => {
  const scattered = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 1 : 0.3));
  const narrow = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 0.66 : 0.64));
  const condition = { signal: "score_mean", threshold: 0.7, significance: true } as const;

  expect([scattered, narrow].map((values) => evaluated(condition, values).verdict)).toEqual(["ok", "alert"]);
});

test("a few equal scores below the threshold are an alert only if scores from 0 to 1 rule out a mean above it", () => {
  const equal = (count: number): number[] => Array<number>(count).fill(0.6);
  const condition = { signal: "score_mean", threshold: 0.7, significance: true } as const;

  expect([equal(12), equal(100)].map((values) => evaluated(condition, values).verdict)).toEqual(["ok", "alert"]);
  expect(evaluated(condition, equal(12)).interval?.upper).toBeGreaterThan(0.7);
});

const rates = (count: number, share: number): number[] =>
  Array.from({ length: count }, (_, index) => Number(index < share * count));

test.each([
  // A share of failed traces of 0.1 beside 0.1: 400 traces cannot show five points more, 3,000 can.
  [
    { signal: "error_rate", compare_with: "last_week", threshold: 0.05 },
    rates(400, 0.1),
    rates(400, 0.1),
    "cannot_tell",
  ],
  [{ signal: "error_rate", compare_with: "last_week", threshold: 0.05 }, rates(3000, 0.1), rates(3000, 0.1), "ok"],
  [
    { signal: "score_mean", compare_with: "last_week", threshold: 0.05 },
    rates(100, 0.8),
    rates(100, 0.8),
    "cannot_tell",
  ],
  [{ signal: "score_mean", compare_with: "last_week", threshold: 0.3 }, rates(300, 0.8), rates(300, 0.8), "ok"],
  // A threshold of zero asks for no size.
  [{ signal: "error_rate", compare_with: "last_week", threshold: 0 }, rates(400, 0.1), rates(400, 0.1), "ok"],
  // Of 12 traces, not even 12 failures are significantly more than 90 %.
  [{ signal: "error_rate", threshold: 0.9 }, rates(12, 0), null, "cannot_tell"],
  [{ signal: "error_rate", threshold: 0.9 }, rates(12, 1), null, "cannot_tell"],
  [{ signal: "error_rate", threshold: 0.1 }, rates(60, 0), null, "ok"],
  [{ signal: "score_mean", threshold: 0.1 }, rates(12, 0.5), null, "cannot_tell"],
  [{ signal: "score_mean", threshold: 0.7 }, rates(60, 0.9), null, "ok"],
] as const)(
  "a window is fine by the rule %j only if it could have shown otherwise",
  (rule, values, before, verdict) => {
    expect(evaluated({ ...rule, significance: true }, values, before).verdict).toBe(verdict);
  },
);

test("the worsening that a rule can see shrinks with the data, and is none without significance", () => {
  const rule = { signal: "error_rate", threshold: 0.1, significance: true } as const;
  const [few = 0, many = 0] = [60, 3000].map((count) => evaluated(rule, rates(count, 0.05)).detectable ?? undefined);

  expect([few > 0.05, few < 0.25, many > 0.01, many < 0.03]).toEqual([true, true, true, true]);
  expect(evaluated({ ...rule, significance: false }, rates(60, 0.05)).detectable).toBeNull();
});
