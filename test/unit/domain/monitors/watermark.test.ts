import { expect, test } from "vitest";
import {
  marksOf,
  mostMarks,
  sightOf,
  type Marks,
  type SnapshotTarget,
  type Watermark,
} from "../../../../lib/domain/monitors/watermark.ts";
import { seeded } from "../../../support/random.ts";

const at = Date.parse("2026-11-21T09:00:00Z");
const target = (id: string, seconds: number, traces = 1): SnapshotTarget => ({
  id,
  changedAt: at + seconds * 1000,
  traces,
});

/** What a snapshot of `held` had not seen of what is there now. */
const idsSince = (held: readonly SnapshotTarget[], now: readonly SnapshotTarget[]): readonly string[] => {
  const sees = sightOf({ at, seen: [] }, marksOf(held, at));
  return now.filter((each) => !sees(each)).map(({ id }) => id);
};

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

test("a session that gets a trace which is dated before its newest one is new", () => {
  expect(idsSince([target("chat", -5, 3)], [target("chat", -5, 4)])).toEqual(["chat"]);
});

test("what an earlier version has written is read: without marks, only what it names was seen", () => {
  const seen: Watermark["seen"] = [["a", at - 5_000]];
  const sees = sightOf({ at, seen }, null);

  expect([target("a", -5), target("a", -4), target("b", -5), target("old", -90)].map(sees)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test("more than can be remembered is left to the next snapshot, the newest of it", () => {
  const held = Array.from({ length: mostMarks + 10 }, (_, index) => target(String(index), -index / 1e6));
  const marks = marksOf(held, at);

  expect(marks.byteLength).toBe(mostMarks * 8);
  expect(idsSince(held, held)).toEqual(held.slice(0, 10).map(({ id }) => id));
});

/**
 * A monitor of what has changed fires every minute while traces are stored, some dated long before their commit, by writers
 * and read by workers whose clocks differ by seconds. Then nothing more arrives.
 *
 * @returns how often each trace was judged.
 */
const judgedAt = (rate: number, firings: number): readonly number[] => {
  const random = seeded(rate);
  const skew = (): number => random.pick([-3_000, -400, 0, 900, 3_000]);
  const arrivals = Array.from({ length: rate * 60 * (firings - 2) }, (_, index) => {
    const committed = at + Math.floor((index * 1000) / rate);
    const late = random.chance(0.05) ? random.below(28_000) : random.below(200);
    return { id: String(index), changedAt: committed - late + skew(), traces: 1, committed };
  });
  const judged = arrivals.map(() => 0);
  let known: (each: SnapshotTarget) => boolean = () => false;
  for (let firing = 1; firing <= firings; firing += 1) {
    const instant = at + firing * 60_000;
    const all = arrivals.filter(({ committed }) => committed <= instant);
    const watermark: Watermark = { at: instant + random.between(-2_000, 2_000), seen: [] };
    const marks: Marks = marksOf(all, watermark.at);
    const sees = sightOf(watermark, marks);
    for (const each of all)
      if (!known(each) && sees(each)) judged[Number(each.id)] = (judged[Number(each.id)] ?? 0) + 1;
    known = sees;
  }
  return judged;
};

test.each([
  [16, 8],
  [17, 8],
  [115, 6],
  [500, 4],
  // More a minute than can be remembered.
  [900, 4],
])("at %i traces a second each is judged by one firing", (rate, firings) => {
  const judged = judgedAt(rate, firings);

  expect(judged.length).toBe(rate * 60 * (firings - 2));
  expect(judged.filter((times) => times !== 1)).toEqual([]);
});
