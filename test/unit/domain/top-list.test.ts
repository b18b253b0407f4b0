import fc from "fast-check";
import { expect, test } from "vitest";
import { listOrder, sortOrders, type SortKey } from "../../../lib/domain/list-order.ts";
import { TopList } from "../../../lib/domain/top-list.ts";

interface Item {
  readonly key: SortKey;
  readonly id: number;
}

const items = fc
  .array(fc.option(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ noNaN: true }))), { maxLength: 2000 })
  .map((keys) => keys.map((key, id): Item => ({ key, id })));

test("the first of many items are those that sorting all items would put first", () => {
  fc.assert(
    fc.property(items, fc.nat(300), fc.nat(50), fc.constantFrom(...sortOrders), (allItems, size, offset, order) => {
      const compare = listOrder<Item>(order, (a, b) => a.id - b.id);
      const top = new TopList(size, compare);

      for (const item of allItems) top.add(item);

      expect(top.from(offset)).toEqual(allItems.toSorted(compare).slice(offset, size));
    }),
    { numRuns: 200 },
  );
});

const sorted = (keys: readonly SortKey[], order: "asc" | "desc"): readonly SortKey[] =>
  keys
    .map((key, id) => ({ key, id }))
    .toSorted(listOrder<Item>(order, (a, b) => a.id - b.id))
    .map(({ key }) => key);

test("nulls come last in both directions, text is ordered by code point", () => {
  const words = [null, "b", "\u{1f600}", "\u{ff5e}", "B", ""];

  expect(sorted(words, "asc")).toEqual(["", "B", "b", "\u{ff5e}", "\u{1f600}", null]);
  expect(sorted(words, "desc")).toEqual(["\u{1f600}", "\u{ff5e}", "b", "B", "", null]);
  expect(sorted([null, 10, 9, null], "asc")).toEqual([9, 10, null, null]);
});
