import { pageAt } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import { monitorSchedules } from "../../../lib/monitors/schedules.ts";
import { schedulePlace, sweepMonitors } from "../../../lib/monitors/sweep-monitors.ts";
import { readFiringMessage } from "../../../lib/queue/firing-message.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import type { Database } from "../../../lib/store/database.ts";
import { dueMonitors, type DueMonitors } from "../../../lib/store/monitors/due.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, tallied, type FaultRates, type Tally } from "../../support/faults/seeded-faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import type { Random } from "../../support/random.ts";
import { virtualClock } from "../virtual-clock.ts";
import { firingPartsOn } from "./firing-parts.ts";
import { firingQueueModel, timeout, type Delivered } from "./firing-queue-model.ts";
import { schedulerModel } from "./scheduler-model.ts";

/** What becomes of a worker that takes a monitor's snapshot. */
export type Snapshotting = "well" | "throws" | "dies at its time-out";

const start = Date.parse("2026-11-21T09:00:00Z");
const second = 1_000;

const settings = { group: "group", roleArn: "role", queueArn: "queue", deadLettersArn: "dead" };

/** Monitors, the Scheduler, the queue of firings, its workers and the sweeper, on a clock that is moved. */
export const firingWorld = (database: Database, random: Random, tally: Tally, rates: FaultRates = {}) => {
  const clock = virtualClock(start);
  const { now } = clock;
  const [scheduler, queue] = [schedulerModel(random.fork("scheduler"), tally), firingQueueModel(now)];
  const schedules = monitorSchedules(settings, scheduler.client, now);
  const [monitors, firings, project] = [monitorStore(database, now), firingStore(database, now), randomUUID()];
  const conducts = new Map<string, Snapshotting>();
  const [snapshots, deaths] = [new Map<string, number>(), new Map<string, number>()];
  const sent = new Set<string>();
  const target = { id: randomUUID(), changedAt: start, traces: 1 };
  // Other worlds live in the same database, at other times.
  const everybody = dueMonitors(database, now);
  const due: DueMonitors = {
    ...everybody,
    list: async function* (at) {
      for await (const each of everybody.list(at)) if (each.project === project) yield each;
    },
  };
  let processes = 0;

  const deliver = async (body: string): Promise<Delivered> => {
    processes += 1;
    const own = faultyDatabase(database, seededFaults(random.fork(`process ${processes}`), rates, tally));
    let milliseconds = 200;
    const matching = async ({ id }: Monitor) => {
      snapshots.set(id, (snapshots.get(id) ?? 0) + 1);
      const conduct = conducts.get(id) ?? "well";
      milliseconds = 2 * second;
      if (conduct === "well") return [target];
      tallied(tally, `snapshot ${conduct}`);
      if (conduct === "throws") throw new TypeError("Cannot read properties of undefined (reading 'status')");
      milliseconds = timeout;
      own.crash();
      throw new Error("The function has reached its time-out.");
    };
    try {
      await monitorFiring(firingPartsOn(own, matching, clock)).fire(readFiringMessage(body));
      return { acknowledged: true, milliseconds };
    } catch {
      const { monitor } = readFiringMessage(body);
      deaths.set(monitor, (deaths.get(monitor) ?? 0) + 1);
      return { acknowledged: false, milliseconds };
    }
  };

  /** @returns whether everything could be repaired. */
  const sweepOnce = async (): Promise<boolean> => {
    const cursor = cursorStore(database, schedulePlace, now);
    try {
      await sweepMonitors({ monitors, due, schedules, cursor, send: (firing) => queue.send(firing), now });
      return true;
    } catch {
      return false;
    }
  };

  return {
    clock,
    scheduler,
    queue,
    project,

    /** A new monitor whose process died before it was scheduled. */
    add: async (conduct: Snapshotting, cadence = everyMinute): Promise<Monitor> => {
      const { monitor } = await monitors.create(someMonitor(project, { cadence }, now()));
      conducts.set(monitor.id, conduct);
      return monitor;
    },

    /** Whether the Scheduler has sent an instant. */
    wasSent: ({ id }: Monitor, instant: number): boolean => sent.has(`${id} ${instant}`),

    /** Deliveries of it that failed. */
    deathsOf: ({ id }: Monitor): number => deaths.get(id) ?? 0,

    snapshotsOf: ({ id }: Monitor): number => snapshots.get(id) ?? 0,

    /** What became of a monitor's instants, newest first. */
    firingsOf: async ({ id }: Monitor) => (await firings.page(project, id, pageAt(1_000, 0))).items,

    now: async ({ id }: Monitor): Promise<Monitor | undefined> => (await monitors.get(project, id))?.monitor,

    sweepOnce,

    /** A minute goes by. */
    minute: async (): Promise<void> => {
      const from = now();
      clock.advance(20 * second);
      await queue.deliver(deliver);
      await sweepOnce();
      clock.advance(20 * second);
      await queue.deliver(deliver);
      clock.advance(20 * second);
      for (const body of scheduler.firedBetween(from, now())) {
        const { monitor, scheduledAt } = readFiringMessage(body);
        sent.add(`${monitor} ${scheduledAt}`);
        queue.put(body);
      }
      await queue.deliver(deliver);
    },
  };
};
