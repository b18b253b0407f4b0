import { expect, test } from "vitest";
import { batchOutcome } from "../../../../infra/local/mapping/batch-outcome.ts";

const ids = new Set(["a", "b"]);
const report = (...identifiers: unknown[]): string =>
  JSON.stringify({ batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) });

test.each([
  ["null", "null"],
  ["an empty object", "{}"],
  ["an empty list", '{"batchItemFailures":[]}'],
  ["a null list", '{"batchItemFailures":null}'],
])("%s means complete success", (_name, payload) => {
  expect(batchOutcome(payload, ids)).toBe("none");
});

test.each([
  ["a null identifier", report(null)],
  ["an empty identifier", report("")],
  ["an unknown identifier among good ones", report("a", "c")],
  ["a wrongly named identifier", '{"batchItemFailures":[{"id":"a"}]}'],
  ["a null failure", '{"batchItemFailures":[null]}'],
  ["a list that is none", '{"batchItemFailures":"a"}'],
])("%s means complete failure", (_name, payload) => {
  expect(batchOutcome(payload, ids)).toBe("all");
});

test("reported items failed, the others did not", () => {
  expect(batchOutcome(report("b", "b"), ids)).toEqual(new Set(["b"]));
});
