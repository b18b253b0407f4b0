import { expect, test } from "vitest";
import { axisText, dollars, duration, shortTime } from "../../../lib/console/format.ts";

test("a quarter past midnight is 00:15, on the same day, in the same year and in another", () => {
  const midnight = new Date(2026, 4, 3, 0, 15, 7);
  const formattedTimes = [new Date(2026, 4, 3, 12), new Date(2026, 7, 1), new Date(2027, 1, 1)].map((now) =>
    shortTime(midnight.toISOString(), now),
  );

  expect(formattedTimes).toEqual(["00:15:07", "May 3, 00:15", "May 3, 2026, 00:15"]);
});

test("a duration never shows 60 seconds or 60 minutes", () => {
  expect([0, 999.4, 999.7, 59_949, 59_951, 119_700, 3_599_400, 3_599_600, 7_199_999].map(duration)).toEqual([
    "0 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 0 s",
    "59 min 59 s",
    "1 h 0 min",
    "2 h 0 min",
  ]);
  expect(duration(null)).toBe("–");
});

test("amounts are short, from a fraction of a cent to millions", () => {
  expect([0, 1.2e-7, 0.000_27, 0.0099, 0.01, 99.99, 100, 1_234_567.891].map(dollars)).toEqual([
    "$0",
    "<$0.000001",
    "$0.00027",
    "$0.0099",
    "$0.01",
    "$99.99",
    "$100",
    "$1,234,568",
  ]);
});

test("an axis shows the digits of its step, also of a quarter and of a step in scientific notation", () => {
  const texts = (step: number) => [0, 1, 2].map((at) => axisText(dollars, at * step, step));

  expect(texts(0.25)).toEqual(["$0.00", "$0.25", "$0.50"]);
  expect(texts(2.5)).toEqual(["$0.0", "$2.5", "$5.0"]);
  expect(texts(1e-7)).toEqual(["$0.0000000", "$0.0000001", "$0.0000002"]);
  expect(texts(20)).toEqual(["$0", "$20", "$40"]);
  expect(axisText(duration, 2_500, 250)).toBe("2.50 s");
});
