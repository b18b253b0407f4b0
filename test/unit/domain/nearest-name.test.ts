import { expect, test } from "vitest";
import { nearestName } from "../../../lib/domain/nearest-name.ts";

const known = ["retentionDays", "alarmEmail", "stage", "jwt"];

test.each([
  ["retentionDay", "retentionDays"],
  ["retention_days", "retentionDays"],
  ["alarm-email", "alarmEmail"],
  ["ALARMEMAIL", "alarmEmail"],
  [" stage ", "stage"],
  ["jvt", "jwt"],
])("%j is near %s", (given, meant) => {
  expect(nearestName(given, known)).toBe(meant);
});

test.each(["", "colour", "j", "age of retention", "x".repeat(100_000)])("%.20j is near nothing", (given) => {
  expect(nearestName(given, known)).toBeNull();
});
