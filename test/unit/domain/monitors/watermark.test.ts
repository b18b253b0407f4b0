import { expect, test } from "vitest";
import { changedSince, watermarkOf } from "../../../../lib/domain/monitors/watermark.ts";

const at = Date.parse("2026-11-21T09:00:00Z");
const target = (id: string, seconds: number) => ({ id, changedAt: at + seconds * 1000 });

const idsSince = (
  before: readonly ReturnType<typeof target>[] | null,
  now: readonly ReturnType<typeof target>[],
): readonly string[] => changedSince(now, before === null ? null : watermarkOf(before, at)).map(({ id }) => id);

test("without an earlier snapshot everything is new", () => {
  expect(idsSince(null, [target("a", -1e6)])).toEqual(["a"]);
});

test("what the snapshot held is not new, however shortly before it changed", () => {
  const held = [target("old", -1e6), target("minutes", -90), target("seconds", -5), target("meanwhile", 2)];

  expect(idsSince(held, held)).toEqual([]);
});

test("what arrives or changes after the snapshot is new, whatever it held", () => {
  const held = [target("a", -5), target("b", -1e6)];

  expect(idsSince(held, [target("a", 10), target("b", 10), target("c", 10)])).toEqual(["a", "b", "c"]);
});

test("what was dated before the snapshot and committed after it is new", () => {
  expect(idsSince([target("a", -5)], [target("a", -5), target("late", -20)])).toEqual(["late"]);
});

test("a snapshot with too many recent changes to remember takes them for new once more", () => {
  const held = Array.from({ length: 1_001 }, (_, index) => target(String(index), -1));

  expect(idsSince(held, held)).toHaveLength(held.length);
  expect(watermarkOf(held, at).seen).toEqual([]);
});
