import { expect, test } from "vitest";
import { nameFlaw } from "../../../../lib/domain/access/names.ts";

test.each(["a", "Z", "7", "é", "東", "My project", "O'Brien_2.0-x", "a".repeat(255)])("%s is a valid name", (name) => {
  expect(nameFlaw("Project name", name)).toBeNull();
});

test.each([
  ["", "must not be empty"],
  ["a".repeat(256), "at most 255 characters"],
  ["-", "must start and end with"],
  ["_a", "must start and end with"],
  ["a.", "must start and end with"],
  ["a/b", "contain only"],
  ["a#b", "contain only"],
  ["a\nb", "contain only"],
  ["a\u0000b", "contain only"],
  ["nañme", "contain only"],
  [`sk_as_${"0".repeat(64)}`, "must not be an API key"],
])("%j is no valid name: it %s", (name, flaw) => {
  expect(nameFlaw("Project name", name)).toContain(`Project name ${flaw.startsWith("at") ? "must be " : ""}`);
  expect(nameFlaw("Project name", name)).toContain(flaw);
});
