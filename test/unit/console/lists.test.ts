import { describe, expect, test, vi } from "vitest";
import { listWindowOf, timeBoundsOf } from "../../../lib/console/parts/time-window.ts";

describe("a relative range of time", () => {
  test("has the midnights of the browser's zone, also when clocks change", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    // Summer time ended in the night to 25 October 2026: that day had 25 hours.
    const now = new Date("2026-10-25T12:00:00Z");

    expect(timeBoundsOf({ range: "today" }, now)).toEqual({ started_after: "2026-10-24T22:00:00.000Z" });
    expect(timeBoundsOf({ range: "yesterday" }, now)).toEqual({
      started_after: "2026-10-23T22:00:00.000Z",
      started_before: "2026-10-24T22:00:00.000Z",
    });
    expect(timeBoundsOf({ range: "7d" }, new Date("2026-10-28T12:00:00Z"))).toEqual({
      started_after: "2026-10-21T22:00:00.000Z",
    });
    vi.unstubAllEnvs();
  });

  test("is ignored if it is unknown, and wins over instants otherwise", () => {
    const bounds = { started_after: "2026-10-01T00:00:00Z", started_before: "2026-10-02T00:00:00Z" };

    expect(timeBoundsOf({ range: "toString", ...bounds })).toEqual(bounds);
    expect(timeBoundsOf({ range: "today", ...bounds })).not.toHaveProperty("started_before");
  });
});

describe("the bars of a chart", () => {
  const now = Date.parse("2026-11-26T10:20:00Z");
  const noBounds = { started_after: undefined, started_before: undefined };

  test.each([
    ["2026-11-20T00:00:00Z", "hour", "2026-11-20T00:00:00.000Z"],
    ["2026-11-25T18:30:00Z", "hour", "2026-11-25T18:00:00.000Z"],
    ["2026-10-01T18:30:00Z", "day", "2026-10-01T00:00:00.000Z"],
    // 1 January 2026 was a Thursday, its week began on Monday.
    ["2026-01-01T18:30:00Z", "week", "2025-12-29T00:00:00.000Z"],
  ])("since %s are of a %s and begin where the API's buckets do", (after, granularity, from) => {
    const window = listWindowOf({ started_after: after, started_before: undefined }, null, now);

    expect([window.granularity, window.times[0], window.started_before]).toEqual([
      granularity,
      Date.parse(from),
      "2026-11-26T10:20:00.000Z",
    ]);
  });

  test("cover the project's first trace if the list has no start, and are never too many", () => {
    const oldest = Date.parse("2026-11-24T23:10:00Z");
    expect(listWindowOf(noBounds, oldest, now).times[0]).toBe(Date.parse("2026-11-24T23:00:00.000Z"));

    const { times } = listWindowOf(noBounds, 0, now);
    expect(times).toHaveLength(260);
    expect(times.at(-1)).toBe(Date.parse("2026-11-23"));
  });
});
