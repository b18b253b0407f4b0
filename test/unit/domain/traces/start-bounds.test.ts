import { expect, test } from "vitest";
import { defaultStartBounds, startFlaw } from "../../../../lib/domain/traces/limits.ts";
import { traceStarts } from "../../../../lib/wiring/environment.ts";

const now = Date.parse("2026-11-20T10:00:00Z");

test.each([
  ["1999-12-31T23:59:59.999999+00:00", "A trace may start from 2000-01-01T00:00:00+00:00 on."],
  ["2000-01-01T00:00:00+00:00", null],
  ["2026-11-21T10:00:00+00:00", null],
  ["2026-11-21T10:00:00.000001+00:00", "A trace may start at most 24 h ahead of the service's clock."],
  ["9999-12-31T23:59:59+00:00", "A trace may start at most 24 h ahead of the service's clock."],
])("a trace may start from the year 2000 to a day after the service's clock: %s", (at, flaw) => {
  expect(startFlaw(at, defaultStartBounds, now)).toBe(flaw);
});

test("an operator may set other bounds", () => {
  const bounds = traceStarts({ TRACE_STARTS_FROM: "2020-05-01", TRACE_STARTS_AHEAD_HOURS: "1" });

  expect(bounds).toEqual({ from: "2020-05-01T00:00:00+00:00", aheadHours: 1 });
  expect(startFlaw("2020-04-30T23:00:00+00:00", bounds, now)).toBe(
    "A trace may start from 2020-05-01T00:00:00+00:00 on.",
  );
  expect(startFlaw("2026-11-20T11:00:01+00:00", bounds, now)).toBe(
    "A trace may start at most 1 h ahead of the service's clock.",
  );
  expect(() => traceStarts({ TRACE_STARTS_FROM: "soon" })).toThrow("TRACE_STARTS_FROM is not a date");
  expect(() => traceStarts({ TRACE_STARTS_AHEAD_HOURS: "0" })).toThrow("TRACE_STARTS_AHEAD_HOURS");
});
