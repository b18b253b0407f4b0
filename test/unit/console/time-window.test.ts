import { expect, test } from "vitest";
import { dashboardWindowOf } from "../../../lib/console/parts/time-window.ts";

const now = Date.parse("2026-11-27T02:30:00Z");
const [hour, day] = [3_600_000, 86_400_000];

test("a preset has whole buckets, as many as its length, and ends with the current one", () => {
  expect(dashboardWindowOf({}, now)).toMatchObject({
    started_after: "2026-11-26T03:00:00.000Z",
    started_before: "2026-11-27T03:00:00.000Z",
    granularity: "hour",
  });
  const { times, step, ...month } = dashboardWindowOf({ range: "30d", started_after: "2026-01-01" }, now);
  expect(month).toMatchObject({
    started_after: "2026-10-29T00:00:00.000Z",
    started_before: "2026-11-28T00:00:00.000Z",
  });
  expect([times.length, step, times.at(-1)]).toEqual([30, day, Date.parse("2026-11-27")]);
  expect(dashboardWindowOf({ range: "7d" }, now).times).toHaveLength(7 * 24);
});

test("a window of two instants keeps them, and its buckets are those of the service", () => {
  const window = dashboardWindowOf(
    { started_after: "2026-11-01T10:15:00Z", started_before: "2026-11-01T12:05:00Z" },
    now,
  );
  expect(window).toMatchObject({ started_after: "2026-11-01T10:15:00.000Z", step: hour });
  expect(window.times.map((time) => new Date(time).getUTCHours())).toEqual([10, 11, 12]);

  const years = dashboardWindowOf({ started_after: "0001-01-01T00:00:00Z" }, now);
  expect([years.started_after, years.granularity]).toEqual(["2000-01-01T00:00:00.000Z", "week"]);
  expect(new Date(years.times[0] ?? 0).toISOString()).toBe("1999-12-27T00:00:00.000Z");
  expect(dashboardWindowOf({ range: "custom", started_after: "soon" }, now).times).toHaveLength(7 * 24 + 1);
  expect(() => dashboardWindowOf({ started_after: "2026-11-03", started_before: "2026-11-02" }, now)).toThrow(
    "The end of the window must be after its start.",
  );
});
