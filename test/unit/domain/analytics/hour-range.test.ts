import { expect, test } from "vitest";
import { containsStart, hourRange, containsHour } from "../../../../lib/domain/analytics/hour-range.ts";

const at = (time: string): string => `2026-03-01T${time}+00:00`;

test("a range that begins and ends on the hour is whole hours", () => {
  const range = hourRange(at("10:00:00"), at("12:00:00"));

  expect(range).toMatchObject({ edges: [], firstAndLast: ["2026-03-01T10", "2026-03-01T11"] });
});

test("ends of a range within an hour are partial hours", () => {
  const range = hourRange(at("10:30:00"), at("12:15:00.000001"));

  expect(range?.firstAndLast).toEqual(["2026-03-01T10", "2026-03-01T12"]);
  expect(range?.edges).toEqual([
    { hour: "2026-03-01T10", from: at("10:30:00"), to: at("11:00:00") },
    { hour: "2026-03-01T12", from: at("12:00:00"), to: at("12:15:00.000001") },
  ]);
});

test("a range within one hour is one partial hour", () => {
  expect(hourRange(at("10:00:00"), at("10:30:00"))?.edges).toEqual([
    { hour: "2026-03-01T10", from: at("10:00:00"), to: at("10:30:00") },
  ]);
  expect(hourRange(at("10:10:00"), at("10:30:00"))?.edges).toHaveLength(1);
});

test("a range to the end of time has no partial hour at its end", () => {
  expect(hourRange("9999-12-31T22:30:00+00:00", "9999-12-31T23:59:59.999999+00:00")).toMatchObject({
    firstAndLast: ["9999-12-31T22", "9999-12-31T23"],
    edges: [{ to: "9999-12-31T23:00:00+00:00" }, { from: "9999-12-31T23:00:00+00:00" }],
  });
});

test.each([
  [at("10:00:00"), at("10:00:00")],
  [at("11:00:00"), at("10:00:00")],
])("the range from %s to %s is empty", (from, to) => {
  expect(hourRange(from, to)).toBeNull();
});

test("an hour counts as whole when no end of the range cuts it, and begins in the range that contains its beginning", () => {
  const range = hourRange(at("10:30:00"), at("12:15:00"));
  if (range === null) throw new Error("The range is not empty.");
  const hours = ["2026-03-01T09", "2026-03-01T10", "2026-03-01T11", "2026-03-01T12", "2026-03-01T13"];

  expect(hours.map((hour) => containsHour(range, hour))).toEqual([false, false, true, false, false]);
  expect(hours.map((hour) => containsStart(range, hour))).toEqual([false, false, true, true, false]);
});
