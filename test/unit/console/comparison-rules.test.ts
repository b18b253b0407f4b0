import { expect, test } from "vitest";
import { olderFirst, figureVerdict } from "../../../lib/console/trends/comparison-rules.ts";
import { compareRuns } from "../../../lib/console/trends/run-comparison.ts";
import { comparisonSide, oldestGroup } from "../../../lib/console/trends/groups.ts";

const figure = (lower: number, value: number, upper: number) => ({ value, interval: { lower, upper } });

test("a figure is worse or better only where the interval of the difference is on one side of zero", () => {
  const verdicts = [
    [figure(0.05, 0.1, 0.15), figure(0.25, 0.3, 0.35)],
    [figure(0.25, 0.3, 0.35), figure(0.05, 0.1, 0.15)],
    // The intervals meet, the one of the difference, 0.1 with 0.071 to each side, does not reach zero.
    [figure(0.05, 0.1, 0.15), figure(0.15, 0.2, 0.25)],
    [figure(0.15, 0.2, 0.25), figure(0.05, 0.1, 0.15)],
    [figure(0, 0.1, 0.2), figure(0.1, 0.2, 0.3)],
    [figure(0.1, 0.2, 0.3), figure(0, 0.1, 0.2)],
    // The longer ends point away from the other side.
    [figure(0, 0.2, 0.21), figure(0.29, 0.3, 0.6)],
    [figure(0.29, 0.3, 0.6), figure(0, 0.2, 0.21)],
  ].map(([before, after]) => figureVerdict(before ?? figure(0, 0, 0), after ?? figure(0, 0, 0)));

  expect(verdicts).toEqual([
    "worse",
    "better",
    "worse",
    "better",
    "no difference shown",
    "no difference shown",
    "worse",
    "better",
  ]);
});

test.each([
  [{ value: null, interval: null }, figure(0, 0.1, 0.2)],
  [figure(0, 0.1, 0.2), { value: 0.9, interval: null }],
  [{ value: 0.9, interval: null }, figure(0, 0.1, 0.2)],
])("without a figure or an interval of a side nothing can be told: %j, %j", (before, after) => {
  expect(figureVerdict(before, after)).toBe("cannot tell");
});

test("the side whose traces began first is the baseline, and of two that began together the first", () => {
  const [older, newer] = ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"];

  expect(olderFirst(["a", "b"], [older, newer])).toEqual(["a", "b"]);
  expect(olderFirst(["a", "b"], [newer, older])).toEqual(["b", "a"]);
  expect(olderFirst(["a", "b"], [older, older])).toEqual(["a", "b"]);
});

test("the group whose scores began first is the one that others are compared with, and never the sum of the smallest", () => {
  const bucket = (release: string, at: string, is_other = false) => ({
    metric_name: "tone",
    bucket: at,
    group: { release },
    is_other,
    avg_score: 1,
    min_score: 1,
    max_score: 1,
    p10_score: 1,
    p50_score: 1,
    p90_score: 1,
    count: 1,
    success_count: 1,
    inapplicable_count: 0,
    rule_based_count: 0,
  });
  const trends = [
    bucket("2.0", "2026-11-01", true),
    bucket("2.1", "2026-11-02"),
    bucket("2.0", "2026-11-03"),
    bucket("2.1", "2026-11-04"),
  ];

  expect(oldestGroup(["2.0", "2.1"], trends, "release")).toBe("2.1");
  expect(oldestGroup(["2.0"], trends, "release")).toBe("2.0");
  expect(oldestGroup([], trends, "release")).toBe("");
});

test("a side has the names of filters on scores, and commas and backslashes of values are escaped", () => {
  expect(comparisonSide({ model: String.raw`a,b\c`, release: "2" })).toBe(String.raw`trace_model:a\,b\\c,release:2`);
});

test("two runs are compared by metric, and trace by trace where both have a number", () => {
  const score = (trace_id: string, value: string | null, fields: object = {}) => ({
    trace_id,
    name: "tone",
    value,
    data_type: "NUMERIC" as const,
    status: "SUCCESS" as const,
    applicable: true,
    ...fields,
  });
  const failed = { status: "FAILED" as const };
  const truth = { name: "truth", data_type: "BOOLEAN" as const };
  const before = [score("a", "0.5"), score("b", "1"), score("c", "0.25"), score("d", null, failed), score("e", "1")];
  const after = [
    score("a", "0.75"),
    score("b", "0.5"),
    score("c", "0.25"),
    score("d", "0"),
    score("e", "1", { applicable: false }),
    score("a", "true", truth),
  ];

  expect(compareRuns(before, after)).toEqual([
    {
      name: "tone",
      baseline: { count: 4, mean: 0.6875 },
      candidate: { count: 4, mean: 0.375 },
      pairs: { count: 3, mean: -0.25 / 3, higher: 1, lower: 1 },
    },
    {
      name: "truth",
      baseline: { count: 0, mean: null },
      candidate: { count: 1, mean: 1 },
      pairs: { count: 0, mean: null, higher: 0, lower: 0 },
    },
  ]);
});
