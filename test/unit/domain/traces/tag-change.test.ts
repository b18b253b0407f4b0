import { expect, test } from "vitest";
import { applyTagChange } from "../../../../lib/domain/traces/tag-change.ts";

test.each<[string, readonly string[], readonly string[], readonly string[], readonly string[]]>([
  ["are added, each once and ordered", ["b"], ["c", "a", "c"], [], ["a", "b", "c"]],
  ["are removed", ["a", "b", "c"], [], ["b", "x"], ["a", "c"]],
  ["that are removed and added are there", ["a"], ["a", "b"], ["a", "b"], ["a", "b"]],
  ["may all go", ["a"], [], ["a"], []],
])("tags %s", (_, tags, add, remove, expected) => {
  expect(applyTagChange(tags, { add, remove })).toEqual(expected);
});
