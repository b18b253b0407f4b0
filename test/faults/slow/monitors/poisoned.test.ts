import { offsetPage } from "../../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { expect, test } from "vitest";
import { monitorFiring } from "../../../../lib/monitors/fire.ts";
import type { FiringMessage } from "../../../../lib/queue/firing-message.ts";
import type { Database } from "../../../../lib/dynamo/database.ts";
import { firingStore } from "../../../../lib/store/monitors/firings.ts";
import { monitorStore } from "../../../../lib/store/monitors/monitors.ts";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { seeded } from "../../../support/random.ts";
import { Crash, faultyDatabase } from "../../../support/faults/faults.ts";
import type { Tally } from "../../../support/faults/seeded-faults.ts";
import { someMonitor } from "../../../support/monitors.ts";
import { virtualClock } from "../../virtual-clock.ts";
import { firingPartsOn } from "../../monitors/firing-parts.ts";
import { firingWorld, type SnapshotConduct } from "../../monitors/firing-world.ts";

const [minute, hour] = [60_000, 3_600_000];

const database = quietDatabase();

const firingItem = v.object({ Item: v.object({ sk: v.object({ S: v.pipe(v.string(), v.startsWith("firing#")) }) }) });
const firingWrite = v.object({ TransactItems: v.looseTuple([v.object({ Put: firingItem })]) });

const worldOf = () => firingWorld(database(), seeded(1), new Map() as Tally);

test("a daily monitor whose snapshot throws or kills its worker is tried three times, reports the failure and continues", async () => {
  const { add, clock, firingsOf, minute: pass, now, queue, snapshotsOf, sweepOnce } = worldOf();
  const conducts = ["throws", "dies at its time-out"] as const satisfies readonly SnapshotConduct[];
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

test("every-minute monitors whose workers crash leave lanes free for others, and each of their instants has a reason", async () => {
  const { add, clock, firingsOf, minute: pass, queue, snapshotsOf } = worldOf();
  const poisoned = [await add("dies at its time-out"), await add("dies at its time-out")];
  const healthy = await add("well");
  const startedAt = clock.now();

  for (let minutes = 0; minutes < 40; minutes += 1) await pass();

  for (const monitor of poisoned) {
    expect(snapshotsOf(monitor)).toBeGreaterThanOrEqual(3);
    expect(snapshotsOf(monitor)).toBeLessThanOrEqual(15);
    const firings = (await firingsOf(monitor)).filter(({ scheduledAt }) => scheduledAt < startedAt + 25 * minute);
    expect(firings.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 24 }, () => "FAILED"));
  }
  const served = (await firingsOf(healthy)).map(({ outcome }) => outcome);
  expect(served).toEqual(Array.from({ length: served.length }, () => "RUN"));
  expect(served.length).toBeGreaterThanOrEqual(38);
  expect(queue.lanesLost).toBeGreaterThan(0);
  expect(queue.lanesLost).toBeLessThanOrEqual(2 * 3);
});

test("a monitor pauses after three failures even if the worker that gave up its instant crashed before recording that", async () => {
  const clock = virtualClock(Date.parse("2026-11-21T09:00:00Z"));
  const project = randomUUID();
  const monitors = monitorStore(database(), clock.now);
  const { monitor } = await monitors.create(someMonitor(project, { cadence: "daily" }, clock.now()));
  const firings = firingStore(database(), clock.now);
  let [snapshots, givesUp] = [0, false];
  const matching = async () => {
    snapshots += 1;
    throw new TypeError("Cannot read properties of undefined (reading 'status')");
  };
  const dying = faultyDatabase(database(), async ({ operation, input }) => {
    const isAttemptNote = givesUp && operation === "PutItem" && input["TableName"] === "monitors";
    givesUp ||= operation === "TransactWriteItems" && v.is(firingWrite, input);
    return isAttemptNote ? "crash-before" : null;
  });
  const message = { project, monitor: monitor.id, generation: monitor.generation };
  const first = { ...message, scheduledAt: monitor.nextRunAt ?? 0 };
  const second = { ...message, scheduledAt: first.scheduledAt + 24 * hour };
  clock.advance(first.scheduledAt - clock.now());
  const fire = (connection: Database, each: FiringMessage) => {
    clock.advance(1_000);
    return monitorFiring(firingPartsOn(connection, matching, clock)).fire(each);
  };
  await expect(fire(database(), first)).rejects.toThrow(TypeError);
  await expect(fire(database(), first)).rejects.toThrow(TypeError);
  await expect(fire(dying, first)).rejects.toThrow(Crash);

  await fire(database(), first);
  await fire(database(), second);

  expect(snapshots).toBe(3);
  expect((await firings.page(project, monitor.id, offsetPage(10, 0))).items.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("Not tried: the last 3 attempts"),
    expect.stringContaining("3 attempts"),
  ]);
});
