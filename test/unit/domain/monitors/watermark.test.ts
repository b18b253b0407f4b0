import { expect, test } from "vitest";
import {
  changeMarkersOf,
  maxChangeMarkers,
  coverageTest,
  type ChangeMarkers,
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

/** Ids of the present targets that are new or changed since the snapshot. */
const idsSince = (snapshot: readonly SnapshotTarget[], now: readonly SnapshotTarget[]): readonly string[] => {
  const sees = coverageTest({ at, seen: [] }, changeMarkersOf(snapshot, at));
  return now.filter((each) => !sees(each)).map(({ id }) => id);
};

test("a target in the snapshot is not new, however shortly before it changed", () => {
  const snapshot = [target("old", -1e6), target("minutes", -90), target("seconds", -5), target("meanwhile", 2)];

  expect(idsSince(snapshot, snapshot)).toEqual([]);
});

test("a target that arrives or changes after the snapshot is new, whatever the snapshot held", () => {
  const snapshot = [target("a", -5), target("b", -1e6)];

  expect(idsSince(snapshot, [target("a", 10), target("b", 10), target("c", 10)])).toEqual(["a", "b", "c"]);
});

test("a target dated before the snapshot and committed after it is new", () => {
  expect(idsSince([target("a", -5)], [target("a", -5), target("late", -20)])).toEqual(["late"]);
});

test("a session that gets a trace dated before its newest trace is new", () => {
  expect(idsSince([target("chat", -5, 3)], [target("chat", -5, 4)])).toEqual(["chat"]);
});

test("a snapshot of an earlier version is read: without change markers, it covers only the ids that it names", () => {
  const markers: Watermark["seen"] = [["a", at - 5_000]];
  const sees = coverageTest({ at, seen: markers }, null);

  expect([target("a", -5), target("a", -4), target("b", -5), target("old", -90)].map(sees)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test("targets beyond the limit of a snapshot are left to the next one, starting with the newest", () => {
  const snapshot = Array.from({ length: maxChangeMarkers + 10 }, (_, index) => target(String(index), -index / 1e6));
  const marks = changeMarkersOf(snapshot, at);

  expect(marks.byteLength).toBe(maxChangeMarkers * 8);
  expect(idsSince(snapshot, snapshot)).toEqual(snapshot.slice(0, 10).map(({ id }) => id));
});

/**
 * Simulates a monitor of changes that fires every minute while traces are stored: some are dated long before their commit, and clocks of writers and workers differ by seconds. Then nothing more arrives.
 * @returns number of judgements per trace.
 */
const judgedAt = (rate: number, firings: number): readonly number[] => {
  const random = seeded(rate);
  const skew = (): number => random.pick([-3_000, -400, 0, 900, 3_000]);
  const arrivals = Array.from({ length: rate * 60 * (firings - 2) }, (_, index) => {
    const committed = at + Math.floor((index * 1000) / rate);
    const commitDelay = random.chance(0.05) ? random.below(28_000) : random.below(200);
    return { id: String(index), changedAt: committed - commitDelay + skew(), traces: 1, committed };
  });
  const judged = arrivals.map(() => 0);
  let isKnown: (each: SnapshotTarget) => boolean = () => false;
  for (let firing = 1; firing <= firings; firing += 1) {
    const instant = at + firing * 60_000;
    const committedArrivals = arrivals.filter(({ committed }) => committed <= instant);
    const watermark: Watermark = { at: instant + random.between(-2_000, 2_000), seen: [] };
    const marks: ChangeMarkers = changeMarkersOf(committedArrivals, watermark.at);
    const sees = coverageTest(watermark, marks);
    for (const each of committedArrivals)
      if (!isKnown(each) && sees(each)) judged[Number(each.id)] = (judged[Number(each.id)] ?? 0) + 1;
    isKnown = sees;
  }
  return judged;
};

test.each([
  [16, 8],
  [17, 8],
  [115, 6],
  [500, 4],
  // More a minute than a snapshot can hold.
  [900, 4],
])("at %i traces a second each trace is judged by one firing", (rate, firings) => {
  const judged = judgedAt(rate, firings);

  expect(judged.length).toBe(rate * 60 * (firings - 2));
  expect(judged.filter((times) => times !== 1)).toEqual([]);
});
