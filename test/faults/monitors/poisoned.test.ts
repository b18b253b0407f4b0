import { expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { seeded } from "../../support/random.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import { firingWorld, type Snapshotting } from "./firing-world.ts";

const [minute, hour] = [60_000, 3_600_000];

const database = quietDatabase();

const worldOf = () => firingWorld(database(), seeded(1), new Map() as Tally);

test("a daily monitor whose snapshot throws, or kills its worker, is tried three times, says so and goes on", async () => {
  const { add, clock, firingsOf, minute: pass, now, queue, snapshotsOf, sweepOnce } = worldOf();
  const conducts = ["throws", "dies at its time-out"] as const satisfies readonly Snapshotting[];
  const monitors = [await add(conducts[0], "daily"), await add(conducts[1], "daily")];
  const instant = monitors[0]?.nextRunAt ?? 0;
  clock.advance(90_000);
  await sweepOnce();
  clock.advance(instant - clock.now() - minute);

  for (let minutes = 0; minutes < 181; minutes += 1) await pass();

  for (const monitor of monitors) {
    expect(snapshotsOf(monitor)).toBe(3);
    expect(await firingsOf(monitor)).toMatchObject([
      { scheduledAt: instant, outcome: "FAILED", reason: expect.stringContaining("3 attempts") },
    ]);
    expect((await now(monitor))?.nextRunAt).toBe(instant + 24 * hour);
  }
  expect(queue.dead).toEqual([]);
});

test("monitors of every minute whose workers die leave the lanes to others, and each of their instants says why", async () => {
  const { add, clock, firingsOf, minute: pass, queue, snapshotsOf } = worldOf();
  const poisoned = [await add("dies at its time-out"), await add("dies at its time-out")];
  const healthy = await add("well");
  const begun = clock.now();

  for (let minutes = 0; minutes < 40; minutes += 1) await pass();

  for (const monitor of poisoned) {
    expect(snapshotsOf(monitor)).toBeGreaterThanOrEqual(3);
    expect(snapshotsOf(monitor)).toBeLessThanOrEqual(15);
    const firings = (await firingsOf(monitor)).filter(({ scheduledAt }) => scheduledAt < begun + 25 * minute);
    expect(firings.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 24 }, () => "FAILED"));
  }
  const served = (await firingsOf(healthy)).map(({ outcome }) => outcome);
  expect(served).toEqual(Array.from({ length: served.length }, () => "RUN"));
  expect(served.length).toBeGreaterThanOrEqual(38);
  expect(queue.lanesLost).toBeGreaterThan(0);
  expect(queue.lanesLost).toBeLessThanOrEqual(2 * 3);
});
