import { expect, test } from "vitest";
import { matchesPattern, passesFilters } from "../../../../infra/local/mapping/filter-pattern.ts";

const event = {
  eventName: "INSERT",
  dynamodb: { NewImage: { kind: { S: "run" }, count: { N: "3" }, none: { NULL: true } }, SizeBytes: 40 },
  tags: ["a", "b"],
};

test.each([
  ["an exact value", { eventName: ["INSERT"] }, true],
  ["one of several values", { eventName: ["REMOVE", "INSERT"] }, true],
  ["another value", { eventName: ["MODIFY"] }, false],
  ["a value deep inside", { dynamodb: { NewImage: { kind: { S: ["run"] } } } }, true],
  ["all keys at once", { eventName: ["INSERT"], dynamodb: { NewImage: { kind: { S: ["slice"] } } } }, false],
  ["a boolean", { dynamodb: { NewImage: { none: { NULL: [true] } } } }, true],
  ["an element of a list", { tags: ["b"] }, true],
  ["something that exists", { dynamodb: { NewImage: { kind: { S: [{ exists: true }] } } } }, true],
  ["something that does not exist", { dynamodb: { OldImage: { kind: { S: [{ exists: false }] } } } }, true],
  ["something that should exist", { dynamodb: { OldImage: { kind: { S: [{ exists: true }] } } } }, false],
  ["a prefix", { eventName: [{ prefix: "INS" }] }, true],
  ["a prefix of a number", { dynamodb: { SizeBytes: [{ prefix: "4" }] } }, false],
  ["a suffix", { eventName: [{ suffix: "RT" }] }, true],
  ["another case", { eventName: [{ "equals-ignore-case": "insert" }] }, true],
  ["anything but a value", { eventName: [{ "anything-but": "REMOVE" }] }, true],
  ["anything but that value", { eventName: [{ "anything-but": ["INSERT", "REMOVE"] }] }, false],
  ["anything but a prefix", { eventName: [{ "anything-but": { prefix: "REM" } }] }, true],
  ["anything but, of nothing", { missing: [{ "anything-but": "x" }] }, false],
  ["a range", { dynamodb: { SizeBytes: [{ numeric: [">", 10, "<=", 40] }] } }, true],
  ["a range it is outside of", { dynamodb: { SizeBytes: [{ numeric: ["<", 40] }] } }, false],
  ["an alternative", { $or: [{ eventName: ["MODIFY"] }, { tags: ["a"] }] }, true],
])("%s: %j is %s", (_name, pattern, expected) => {
  expect(matchesPattern(event, pattern)).toBe(expected);
});

test("one matching filter is enough, and without filters every record passes", () => {
  expect(passesFilters(event, [{ eventName: ["MODIFY"] }, { tags: ["a"] }])).toBe(true);
  expect(passesFilters(event, [{ eventName: ["MODIFY"] }])).toBe(false);
  expect(passesFilters(event, [])).toBe(true);
});

test("an unknown rule is an error, not a mismatch", () => {
  expect(() => matchesPattern(event, { eventName: [{ wildcard: "I*" }] })).toThrow("wildcard");
});
