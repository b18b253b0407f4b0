import { expect, test } from "vitest";
import { nextFiring } from "../../../../infra/local/scheduler/schedule-expression.ts";

test.each([
  ["rate(1 minute)", "UTC", "2026-03-01T10:00:30Z", "2026-03-01T10:01:30.000Z"],
  ["rate(6 hours)", "UTC", "2026-03-01T10:00:00Z", "2026-03-01T16:00:00.000Z"],
  ["at(2026-03-01T12:00:00)", "Europe/Berlin", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00.000Z"],
  ["cron(0/15 * * * ? *)", "UTC", "2026-03-01T10:16:00Z", "2026-03-01T10:30:00.000Z"],
  // 1 March 2026 is a Sunday, which AWS counts as 1.
  ["cron(0 9 ? * 1 *)", "UTC", "2026-02-27T00:00:00Z", "2026-03-01T09:00:00.000Z"],
  ["cron(0 9 ? * 2-6 *)", "UTC", "2026-02-28T00:00:00Z", "2026-03-02T09:00:00.000Z"],
  ["cron(0 9 ? * MON-FRI *)", "America/New_York", "2026-02-28T00:00:00Z", "2026-03-02T14:00:00.000Z"],
  ["cron(0 0 1 1 ? 2030)", "UTC", "2026-02-28T00:00:00Z", "2030-01-01T00:00:00.000Z"],
])("%s in %s after %s fires at %s", (expression, zone, after, expected) => {
  expect(new Date(nextFiring(expression, zone, Date.parse(after)) ?? 0).toISOString()).toBe(expected);
});

test("a past instant has no next firing", () => {
  expect(nextFiring("at(2020-01-01T00:00:00)", "UTC", Date.now())).toBeUndefined();
});

test("an invalid expression is an error", () => {
  expect(() => nextFiring("every minute", "UTC", 0)).toThrow("every minute");
});
