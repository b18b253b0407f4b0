import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pausedMonitor, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { monitorSchedules, type Schedules } from "../../../lib/monitors/schedules.ts";
import { scheduleCursor, sweepMonitors } from "../../../lib/monitors/sweep-monitors.ts";
import { synchronise } from "../../../lib/monitors/synchronise.ts";
import type { FiringMessage } from "../../../lib/queue/firing-message.ts";
import { monitorKey } from "../../../lib/store/monitors/keys.ts";
import { dueMonitors } from "../../../lib/store/monitors/due.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { schedulerModel } from "../../faults/monitors/scheduler-model.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const [minute, day] = [60_000, 86_400_000];

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A fake Scheduler that stores the project and generation of each monitor's schedules. */
const scheduler = () => {
  const scheduled = new Map<string, { readonly project: string; readonly generation: number }>();
  const schedules: Schedules = {
    apply: async ({ id, projectId, generation }) => void scheduled.set(id, { project: projectId, generation }),
    remove: async (_, monitor) => void scheduled.delete(monitor),
    page: async () => ({
      monitors: [...scheduled].map(([monitor, { project }]) => ({ project, monitor })),
      next: null,
    }),
  };
  return { scheduled, schedules };
};

/** A simulated clock, monitors and schedules at its time, and one daily monitor. */
const setUp = async () => {
  const clock = { now: start };
  const monitors = monitorStore(database, () => clock.now);
  const { scheduled, schedules } = scheduler();
  const { monitor } = await monitors.create(someMonitor(randomUUID(), { only_if_changed: true }, start));
  /** Sweeps all monitors at an instant. @returns the firings of this world's monitor. */
  const sweep = async (at: number): Promise<readonly FiringMessage[]> => {
    clock.now = at;
    const messages: FiringMessage[] = [];
    const send = async (firing: FiringMessage): Promise<void> => void messages.push(firing);
    const now = (): number => clock.now;
    const cursor = cursorStore(database, scheduleCursor, now);
    await sweepMonitors({ monitors, due: dueMonitors(database, now), schedules, cursor, send, now });
    return messages.filter(({ monitor: id }) => id === monitor.id);
  };
  return { monitors, monitor, scheduled, schedules, sweep };
};

test("a monitor whose process died before scheduling it is scheduled within two minutes", async () => {
  const { monitor, scheduled, sweep } = await setUp();

  await sweep(start + 30_000);
  const early = scheduled.has(monitor.id);
  await sweep(start + 2 * minute);

  expect(early).toBe(false);
  expect(scheduled.get(monitor.id)?.generation).toBe(monitor.generation);
});

test("a missed instant is fired three minutes later and scheduled again, then retried at doubling intervals", async () => {
  const { monitors, monitor, scheduled, schedules, sweep } = await setUp();
  await synchronise({ monitor }, monitors, schedules);
  scheduled.delete(monitor.id);
  const due = start + day;

  expect(await sweep(due + 2 * minute)).toEqual([]);
  const first = await sweep(due + 3 * minute);
  const isScheduled = scheduled.has(monitor.id);
  const retryMinutes: number[] = [];
  for (let minutesLate = 4; minutesLate <= 60; minutesLate += 1)
    if ((await sweep(due + minutesLate * minute)).length > 0) retryMinutes.push(minutesLate);

  expect(first).toEqual([
    { project: monitor.projectId, monitor: monitor.id, generation: monitor.generation, scheduledAt: due },
  ]);
  expect(isScheduled).toBe(true);
  expect(retryMinutes).toEqual([5, 9, 17, 33]);
});

test("a paused monitor is not fired", async () => {
  const { monitors, monitor, schedules, sweep } = await setUp();
  const paused = await monitors.change(monitor.projectId, monitor.id, (before) => pausedMonitor(before, start));
  await synchronise(paused ?? { monitor }, monitors, schedules);

  expect(await sweep(start + 40 * day)).toEqual([]);
});

test("schedules of a deleted monitor are removed, those of other monitors stay", async () => {
  const { monitors, monitor, scheduled, schedules, sweep } = await setUp();
  const orphan: Monitor = { ...monitor, id: randomUUID() };
  await synchronise({ monitor }, monitors, schedules);
  await schedules.apply(orphan);

  await sweep(start + minute);

  expect([...scheduled.keys()]).toEqual([monitor.id]);
});

test("a schedule without a monitor is removed from the second page of schedules too", async () => {
  const { monitors, monitor } = await setUp();
  const storedMonitor = await monitors.get(monitor.projectId, monitor.id);
  const model = schedulerModel(seeded(1), new Map());
  const schedules = monitorSchedules({ group: "g", roleArn: "r", queueArn: "q", deadLettersArn: "d" }, model.client);
  const shortId = (uuid: string): string => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");
  // Names begin with the project's id and are listed in order.
  const [living, deleted] = ["0", "f"].map((digit) => randomUUID().replaceAll(/[0-9a-f]/gu, digit));
  const plant = (project = ""): void => model.plant(`${shortId(project)}.${shortId(randomUUID())}.0`);
  for (let count = 0; count < 50; count += 1) plant(living);
  plant(deleted);
  const now = (): number => start;
  const parts = {
    monitors: { ...monitors, get: async (project: string) => (project === living ? storedMonitor : null) },
    due: { ...dueMonitors(database, now), list: async function* () {} },
    schedules,
    cursor: cursorStore(database, { ...scheduleCursor, name: randomUUID() }, now),
    send: async () => undefined,
    now,
  };

  const orphans: number[] = [];
  for (let sweep = 0; sweep < 3; sweep += 1) orphans.push((await sweepMonitors(parts)).orphans);

  expect(orphans).toEqual([0, 1, 0]);
  expect(model.names()).toHaveLength(50);
});

test("the schedules match the latest record, however slow an older writer is", async () => {
  const { monitors, monitor, scheduled, schedules } = await setUp();
  const slow = Promise.withResolvers<void>();
  const slowSchedules: Schedules = {
    ...schedules,
    apply: async (monitorToApply) => {
      if (monitorToApply.generation === monitor.generation) await slow.promise;
      await schedules.apply(monitorToApply);
    },
  };
  const older = synchronise({ monitor }, monitors, slowSchedules);
  const paused = await monitors.change(monitor.projectId, monitor.id, (before) => pausedMonitor(before, start));

  await synchronise(paused ?? { monitor }, monitors, schedules);
  slow.resolve();
  await older;

  expect(scheduled.get(monitor.id)?.generation).toBe(paused?.monitor.generation);
});

test("a Scheduler outage or an unreadable monitor costs no other monitor a firing, and all monitors are attempted in turn", async () => {
  const clock = { now: start };
  // Each look at the clock takes a millisecond, so that no two monitors are due at one instant.
  const now = (): number => (clock.now += 1);
  const [project, monitors, allDue] = [randomUUID(), monitorStore(database, now), dueMonitors(database, now)];
  const created: Monitor[] = [];
  for (let count = 0; count < 12; count += 1)
    created.push((await monitors.create(someMonitor(project, { cadence: everyMinute }, start))).monitor);
  const [brokenId, ...healthyIds] = created.map(({ id }) => id);
  const spoil = { ":d": "nonsense" };
  const Key = monitorKey(project, brokenId ?? "");
  await database.client.send(
    new UpdateCommand({ TableName: "monitors", Key, UpdateExpression: "SET d = :d", ExpressionAttributeValues: spoil }),
  );
  const [sentIds, attemptedIds, readIds]: [string[], string[], string[]] = [[], [], []];
  const schedules: Schedules = {
    ...scheduler().schedules,
    apply: async ({ id }) => {
      attemptedIds.push(id);
      clock.now += 9_000;
      throw Object.assign(new Error("The Scheduler is down."), { name: "TimeoutError" });
    },
  };
  const parts = {
    monitors: {
      ...monitors,
      get: async (...key: Parameters<typeof monitors.get>) => {
        readIds.push(key[1]);
        return await monitors.get(...key);
      },
    },
    due: {
      ...allDue,
      list: async function* (at: number) {
        for await (const due of allDue.list(at)) if (due.project === project) yield due;
      },
    },
    schedules,
    cursor: cursorStore(database, { ...scheduleCursor, name: randomUUID() }, now),
    send: async ({ monitor }: FiringMessage) => void sentIds.push(monitor),
    now,
  };

  clock.now = start + 4 * minute;
  await expect(sweepMonitors(parts)).rejects.toThrow("Not all monitors could be repaired.");
  const [lasted, first, readFirst] = [clock.now - start - 4 * minute, sentIds.toSorted(), readIds.length];
  await sweepMonitors(parts);
  const repeated = readIds.length - readFirst;
  for (const minutes of [7, 12, 21]) {
    clock.now = start + minutes * minute;
    await expect(sweepMonitors(parts)).rejects.toThrow("Not all monitors could be repaired.");
  }

  expect(first).toEqual(healthyIds.toSorted());
  expect(lasted).toBeLessThanOrEqual(40_000 + 4 * 9_000);
  expect(repeated).toBe(0);
  expect(new Set(attemptedIds)).toEqual(new Set(healthyIds));
  expect(readIds.filter((id) => id === brokenId)).toHaveLength(4);
});
