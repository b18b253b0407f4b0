import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf, hourNumber, hourText } from "../../../../lib/domain/analytics/bucket.ts";

test.each([
  ["2026-03-01T10", "2026-03-01T10:00:00+00:00", "2026-03-01T00:00:00+00:00", "2026-02-23T00:00:00+00:00"],
  ["2026-03-02T00", "2026-03-02T00:00:00+00:00", "2026-03-02T00:00:00+00:00", "2026-03-02T00:00:00+00:00"],
  ["1969-12-31T23", "1969-12-31T23:00:00+00:00", "1969-12-31T00:00:00+00:00", "1969-12-29T00:00:00+00:00"],
  ["0001-01-01T00", "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+00:00"],
  ["9999-12-31T23", "9999-12-31T23:00:00+00:00", "9999-12-31T00:00:00+00:00", "9999-12-27T00:00:00+00:00"],
])("the hour %s belongs to its hour, its UTC day and its week from Monday on", (hour, ofHour, ofDay, ofWeek) => {
  expect([bucketOf(hour, "hour"), bucketOf(hour, "day"), bucketOf(hour, "week")]).toEqual([ofHour, ofDay, ofWeek]);
});

test("a week's bucket is a Monday, at most six days before", () => {
  const hours = fc.integer({ min: hourNumber("0001-01-01T00"), max: hourNumber("9999-12-31T23") });
  fc.assert(
    fc.property(hours, (number) => {
      const bucket = bucketOf(hourText(number), "week");
      const distance = number - hourNumber(bucket.slice(0, 13));
      expect(new Date(bucket).getUTCDay()).toBe(1);
      expect(distance).toBeGreaterThanOrEqual(0);
      expect(distance).toBeLessThan(7 * 24);
    }),
  );
});
