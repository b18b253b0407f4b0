import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paused, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import type { Schedules } from "../../../lib/monitors/schedules.ts";
import { schedulePlace, sweepMonitors } from "../../../lib/monitors/sweep-monitors.ts";
import { synchronise } from "../../../lib/monitors/synchronise.ts";
import type { FiringMessage } from "../../../lib/queue/firing-message.ts";
import { monitorKey } from "../../../lib/store/monitors/keys.ts";
import { dueMonitors } from "../../../lib/store/monitors/due.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

const start = Date.parse("2026-11-21T09:00:00Z");
const [minute, day] = [60_000, 86_400_000];

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A Scheduler that remembers the generation of each monitor's schedules. */
const scheduler = () => {
  const there = new Map<string, { readonly project: string; readonly generation: number }>();
  const schedules: Schedules = {
    apply: async ({ id, projectId, generation }) => void there.set(id, { project: projectId, generation }),
    remove: async (_, monitor) => void there.delete(monitor),
    page: async () => ({
      monitors: [...there].map(([monitor, { project }]) => ({ project, monitor })),
      next: null,
    }),
  };
  return { there, schedules };
};

/** A clock, the service at its time, and a monitor of every day. */
const world = async () => {
  const clock = { now: start };
  const monitors = monitorStore(database, () => clock.now);
  const { there, schedules } = scheduler();
  const { monitor } = await monitors.create(someMonitor(randomUUID(), { onlyIfChanged: true }, start));
  /** Sweeps at a time; other tests' monitors are swept, too. @returns the firings of this one. */
  const sweep = async (at: number): Promise<readonly FiringMessage[]> => {
    clock.now = at;
    const sent: FiringMessage[] = [];
    const send = async (firing: FiringMessage): Promise<void> => void sent.push(firing);
    const now = (): number => clock.now;
    const cursor = cursorStore(database, schedulePlace, now);
    await sweepMonitors({ monitors, due: dueMonitors(database, now), schedules, cursor, send, now });
    return sent.filter(({ monitor: id }) => id === monitor.id);
  };
  return { monitors, monitor, there, schedules, sweep };
};

test("a monitor whose process died before it was scheduled is scheduled within two minutes", async () => {
  const { monitor, there, sweep } = await world();

  await sweep(start + 30_000);
  const early = there.has(monitor.id);
  await sweep(start + 2 * minute);

  expect(early).toBe(false);
  expect(there.get(monitor.id)?.generation).toBe(monitor.generation);
});

test("an instant that did not fire is fired three minutes later and scheduled anew, and again after twice as long each time", async () => {
  const { monitors, monitor, there, schedules, sweep } = await world();
  await synchronise({ monitor }, monitors, schedules);
  there.delete(monitor.id);
  const due = start + day;

  expect(await sweep(due + 2 * minute)).toEqual([]);
  const first = await sweep(due + 3 * minute);
  const scheduled = there.has(monitor.id);
  const again: number[] = [];
  for (let late = 4; late <= 60; late += 1) if ((await sweep(due + late * minute)).length > 0) again.push(late);

  expect(first).toEqual([
    { project: monitor.projectId, monitor: monitor.id, generation: monitor.generation, scheduledAt: due },
  ]);
  expect(scheduled).toBe(true);
  expect(again).toEqual([5, 9, 17, 33]);
});

test("a paused monitor is not fired", async () => {
  const { monitors, monitor, schedules, sweep } = await world();
  const stored = await monitors.change(monitor.projectId, monitor.id, (before) => paused(before, start));
  await synchronise(stored ?? { monitor }, monitors, schedules);

  expect(await sweep(start + 40 * day)).toEqual([]);
});

test("schedules of a monitor that is gone are removed, those of others stay", async () => {
  const { monitors, monitor, there, schedules, sweep } = await world();
  const orphan: Monitor = { ...monitor, id: randomUUID() };
  await synchronise({ monitor }, monitors, schedules);
  await schedules.apply(orphan);

  await sweep(start + minute);

  expect([...there.keys()]).toEqual([monitor.id]);
});

test("whoever schedules last leaves what the record says, however slow an older writer is", async () => {
  const { monitors, monitor, there, schedules } = await world();
  const slow = Promise.withResolvers<void>();
  const late: Schedules = {
    ...schedules,
    apply: async (given) => {
      if (given.generation === monitor.generation) await slow.promise;
      await schedules.apply(given);
    },
  };
  const older = synchronise({ monitor }, monitors, late);
  const stored = await monitors.change(monitor.projectId, monitor.id, (before) => paused(before, start));

  await synchronise(stored ?? { monitor }, monitors, schedules);
  slow.resolve();
  await older;

  expect(there.get(monitor.id)?.generation).toBe(stored?.monitor.generation);
});

test("a Scheduler that is down and a monitor that cannot be read cost nobody a firing, and everybody is tried in turn", async () => {
  const clock = { now: start };
  const now = (): number => clock.now;
  const [project, monitors, everybody] = [randomUUID(), monitorStore(database, now), dueMonitors(database, now)];
  const made: Monitor[] = [];
  for (let count = 0; count < 12; count += 1)
    made.push((await monitors.create(someMonitor(project, { cadence: everyMinute }, start))).monitor);
  const [broken, ...others] = made.map(({ id }) => id);
  const spoil = { ":d": "nonsense" };
  const Key = monitorKey(project, broken ?? "");
  await database.client.send(
    new UpdateCommand({ TableName: "monitors", Key, UpdateExpression: "SET d = :d", ExpressionAttributeValues: spoil }),
  );
  const [sent, tried, read]: [string[], string[], string[]] = [[], [], []];
  const schedules: Schedules = {
    ...scheduler().schedules,
    apply: async ({ id }) => {
      tried.push(id);
      clock.now += 9_000;
      throw Object.assign(new Error("The Scheduler is down."), { name: "TimeoutError" });
    },
  };
  const parts = {
    monitors: {
      ...monitors,
      get: async (...key: Parameters<typeof monitors.get>) => {
        read.push(key[1]);
        return await monitors.get(...key);
      },
    },
    due: {
      ...everybody,
      list: async function* (at: number) {
        for await (const due of everybody.list(at)) if (due.project === project) yield due;
      },
    },
    schedules,
    cursor: cursorStore(database, { ...schedulePlace, name: randomUUID() }, now),
    send: async ({ monitor }: FiringMessage) => void sent.push(monitor),
    now,
  };

  clock.now = start + 4 * minute;
  await expect(sweepMonitors(parts)).rejects.toThrow("Not all monitors could be repaired.");
  const [lasted, first, readFirst] = [clock.now - start - 4 * minute, sent.toSorted(), read.length];
  await sweepMonitors(parts);
  const repeated = read.length - readFirst;
  for (const minutes of [7, 12, 21]) {
    clock.now = start + minutes * minute;
    await expect(sweepMonitors(parts)).rejects.toThrow("Not all monitors could be repaired.");
  }

  expect(first).toEqual(others.toSorted());
  expect(lasted).toBeLessThanOrEqual(40_000 + 4 * 9_000);
  expect(repeated).toBe(0);
  expect(new Set(tried)).toEqual(new Set(others));
  expect(read.filter((id) => id === broken)).toHaveLength(4);
});
