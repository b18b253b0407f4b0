import fc from "fast-check";
import { expect, test } from "vitest";
import { automatedScoreId } from "../../../../lib/domain/scores/automated-score.ts";
import { derivedUuid, hashApiKey, isWellFormedApiKey, newApiKey } from "../../../../lib/domain/access/identity.ts";

const parts = fc.array(fc.string(), { maxLength: 4 });

test("equal parts give the same id, different parts another id, wherever they are separated", () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const same = a.length === b.length && a.every((part, index) => part === b[index]);
      expect(derivedUuid(...a) === derivedUuid(...b)).toBe(same);
    }),
  );
  expect(derivedUuid("ab", "c")).not.toBe(derivedUuid("a", "bc"));
  expect(derivedUuid("a")).not.toBe(derivedUuid("a", ""));
});

test("a derived id is a well-formed UUID of version 8", () => {
  fc.assert(
    fc.property(parts, (partList) => {
      expect(derivedUuid(...partList)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test("the id of a score never changes from one release to the next", () => {
  expect(automatedScoreId("run", "trace", "metric")).toBe(automatedScoreId("run", "trace", "metric"));
  expect(automatedScoreId("run", "trace", "metric")).toBe(derivedUuid("score", "run", "trace", "metric"));
});

test("a new key has the form of a key, is unique, and is not visible in its hash", () => {
  const [first, second] = [newApiKey(), newApiKey()];

  expect(first).not.toBe(second);
  expect(isWellFormedApiKey(first)).toBe(true);
  expect(hashApiKey(first)).toMatch(/^[0-9a-f]{64}$/);
  expect(first).not.toContain(hashApiKey(first));
});

test.each([
  "",
  "sk_as_",
  `sk_as_${"a".repeat(63)}`,
  `sk_as_${"A".repeat(64)}`,
  `sk_as_${"a".repeat(64)}\n`,
  `x${newApiKey()}`,
])("%j is not a key", (text) => {
  expect(isWellFormedApiKey(text)).toBe(false);
});
