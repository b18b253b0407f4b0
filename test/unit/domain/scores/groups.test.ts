import { describe, expect, test } from "vitest";
import { compareScores } from "../../../../lib/domain/scores/comparison.ts";
import { dimensionsOf } from "../../../../lib/domain/scores/dimensions.ts";
import { groupsOf } from "../../../../lib/domain/scores/groups.ts";
import { unitSummaries } from "../../../../lib/domain/scores/unit-figures.ts";
import { combinations, passes, type ScoreUnit } from "../../../../lib/domain/scores/unit.ts";

const unit = (index: number, fields: Partial<ScoreUnit> = {}): ScoreUnit => ({
  name: "quality",
  order: `2026-10-01T00:00:00+00:00#${index}`,
  createdAt: "2026-10-01T00:00:00+00:00",
  status: "SUCCESS",
  value: 1,
  inapplicable: false,
  passed: null,
  cluster: String(index),
  groups: [],
  ...fields,
});

const byTag = dimensionsOf(["tag"], []);

test("the 50 largest groups are named, and a score of several others counts once in their sum", () => {
  const large = Array.from({ length: 50 }, (_, group) =>
    [group, 100 + group].map((index) => unit(index, { groups: [[`large-${group}`]] })),
  );
  const small = [unit(300, { groups: [["a"], ["b"]] }), unit(301, { groups: [["large-0"], ["c"]] })];

  const groups = groupsOf([...large.flat(), ...small], byTag);

  expect(groups).toHaveLength(51);
  expect(groups[0]).toMatchObject({ group: { tag: "large-0" }, is_other: false, units: { length: 3 } });
  expect(groups.at(-1)).toEqual({ group: { tag: "other" }, is_other: true, units: small });
});

test("failed and inapplicable scores have no value, and only the first are no part of the share that is applicable", () => {
  const units = [
    unit(1, { value: 0.5, passed: true }),
    unit(2, { value: 0, passed: false }),
    unit(3, { value: null, status: "FAILED" }),
    unit(4, { value: 0, passed: false, inapplicable: true }),
  ];

  const [summary] = unitSummaries({ unit: "trace", dimensions: [], units }, () => ({}));

  expect(summary).toMatchObject({
    count: 4,
    success_count: 2,
    failed_count: 1,
    inapplicable_count: 1,
    mean: { value: 0.25, count: 2, interval: null, reason: "too_few" },
    median: { value: 0.25 },
    pass_rate: { value: 0.5, count: 2 },
    applicable_rate: { value: 2 / 3, count: 3 },
  });
});

test("a BOOLEAN score passes if it is true, another one by its metadata", () => {
  expect(passes({ value: "true", data_type: "BOOLEAN", metadata: { success: false } })).toBe(true);
  expect(passes({ value: "0.1", data_type: "NUMERIC", metadata: { success: true } })).toBe(true);
  expect(passes({ value: "0.9", data_type: "NUMERIC", metadata: {} })).toBeNull();
});

test("groups of two names are the combinations of their values", () => {
  expect(
    combinations([
      ["a", "b"],
      ["x", null],
    ]),
  ).toEqual([
    ["a", "x"],
    ["a", null],
    ["b", "x"],
    ["b", null],
  ]);
  expect(dimensionsOf(["release,judge"], []).map(({ name }) => name)).toEqual(["release", "judge"]);
  expect(dimensionsOf(["metadata.a,b", "release"], ["a,b"]).map(({ name }) => name)).toEqual([
    "metadata.a,b",
    "release",
  ]);
});

describe("a comparison of scores", () => {
  const sideOf = (passing: number, failed = 0): readonly ScoreUnit[] => [
    ...Array.from({ length: 100 }, (_, index) => unit(index, { value: null, passed: index < passing })),
    ...Array.from({ length: failed }, (_, index) => unit(100 + index, { value: null, status: "FAILED" })),
  ];

  test("ignores the means where scores have no numbers", () => {
    expect(compareScores({ baseline: sideOf(90), candidate: sideOf(40) }, 0.05)).toMatchObject({
      verdict: "worse",
      reason: null,
      mean: { difference: null },
    });
  });

  test("gives no verdict if more than a tenth of a side's scores have failed, and no failed score is a loss", () => {
    const [tenth, more] = [11, 12].map((failed) =>
      compareScores({ baseline: sideOf(90), candidate: sideOf(40, failed) }, 0.05),
    );

    expect(tenth).toMatchObject({ verdict: "worse", pass_rate: { difference: -0.5 } });
    expect(more).toMatchObject({ verdict: "cannot_tell", reason: "too_many_missing", pass_rate: { difference: -0.5 } });
  });
});
