import fc from "fast-check";
import { expect, test } from "vitest";
import { automatedScoreId } from "../../../../lib/domain/scores/automated-score.ts";
import { derivedUuid, hashApiKey, looksLikeApiKey, newApiKey } from "../../../../lib/domain/access/identity.ts";

const parts = fc.array(fc.string(), { maxLength: 4 });

test("the same parts have the same id, other parts another, wherever they are cut", () => {
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
    fc.property(parts, (given) => {
      expect(derivedUuid(...given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );
});

test("a score's id never changes from one release to the next", () => {
  expect(automatedScoreId("run", "trace", "metric")).toBe(automatedScoreId("run", "trace", "metric"));
  expect(automatedScoreId("run", "trace", "metric")).toBe(derivedUuid("score", "run", "trace", "metric"));
});

test("a new key looks like one, is new, and its hash does not show it", () => {
  const [one, other] = [newApiKey(), newApiKey()];

  expect(one).not.toBe(other);
  expect(looksLikeApiKey(one)).toBe(true);
  expect(hashApiKey(one)).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toContain(hashApiKey(one));
});

test.each([
  "",
  "sk_as_",
  `sk_as_${"a".repeat(63)}`,
  `sk_as_${"A".repeat(64)}`,
  `sk_as_${"a".repeat(64)}\n`,
  `x${newApiKey()}`,
])("%j is no key", (text) => {
  expect(looksLikeApiKey(text)).toBe(false);
});
