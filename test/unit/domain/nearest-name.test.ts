import { expect, test } from "vitest";
import { nearestName } from "../../../lib/domain/nearest-name.ts";

const names = ["retentionDays", "alarmEmail", "stage", "jwt"];

test.each([
  ["retentionDay", "retentionDays"],
  ["retention_days", "retentionDays"],
  ["alarm-email", "alarmEmail"],
  ["ALARMEMAIL", "alarmEmail"],
  [" stage ", "stage"],
  ["jvt", "jwt"],
])("%j suggests %s", (input, suggestion) => {
  expect(nearestName(input, names)).toBe(suggestion);
});

test.each(["", "colour", "j", "age of retention", "x".repeat(100_000)])("%.20j suggests nothing", (input) => {
  expect(nearestName(input, names)).toBeNull();
});
