import { expect, test } from "vitest";
import { accessReconciliation } from "../../../lib/maintenance/reconcile-access.ts";

const works = async () => undefined;
const fails = () => Promise.reject(new Error("refused"));

/** Runs one pass over pages of repairs. @returns its report, the next page, and the checked pages. */
const runPass = async (pages: readonly (readonly (() => Promise<unknown>)[])[]) => {
  let place: string | null = null;
  const checked: number[] = [];
  const report = await accessReconciliation({
    scan: async (from) => {
      const at = Number(from);
      return { items: [{ at }], next: at + 1 < pages.length ? String(at + 1) : null };
    },
    cursor: { get: async () => place, set: async (next) => void (place = next) },
    checks: [
      async ([item]) => {
        const at = Number(item?.["at"]);
        checked.push(at);
        return pages[at] ?? [];
      },
    ],
    now: () => 0,
  })(1);
  return { ...report, place, checked };
};

const repairs = (count: number, repair = works) => Array.from({ length: count }, () => repair);

test.each([
  ["a page with repairs left", [[], repairs(21), [], []], { repaired: 20, place: "1" }],
  ["a page after the one with the last repair of a pass", [repairs(20), repairs(1), []], { repaired: 20, place: "1" }],
  ["the page after one whose repairs all fail", [repairs(21, fails), [], []], { failed: 20, place: "1" }],
])("the next pass begins with %s; the pages after it are checked only", async (_, pages, expected) => {
  const { checked, ...report } = await runPass(pages);

  expect(report).toMatchObject({ ...expected, left: true });
  expect(checked).toEqual([...pages.keys()]);
});

test("a pass reads 20 pages at most, and the next one begins after them", async () => {
  const report = await runPass(Array.from({ length: 45 }, () => []));

  expect(report).toMatchObject({ pages: 20, place: "20", left: false });
});
