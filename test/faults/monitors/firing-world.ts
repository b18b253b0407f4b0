import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import { monitorSchedules } from "../../../lib/monitors/schedules.ts";
import { scheduleCursor, sweepMonitors } from "../../../lib/monitors/sweep-monitors.ts";
import { readFiringMessage } from "../../../lib/queue/firing-message.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
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

/** Behaviour of a worker that takes a monitor's snapshot. */
export type SnapshotConduct = "well" | "throws" | "dies at its time-out";

const start = Date.parse("2026-11-21T09:00:00Z");
const second = 1_000;

const settings = { group: "group", roleArn: "role", queueArn: "queue", deadLettersArn: "dead" };

/** Monitors, Scheduler, firing queue, workers and sweeper on a simulated clock. */
export const firingWorld = (database: Database, random: Random, tally: Tally, rates: FaultRates = {}) => {
  const clock = virtualClock(start);
  const { now } = clock;
  const [scheduler, queue] = [schedulerModel(random.fork("scheduler"), tally), firingQueueModel(now)];
  const schedules = monitorSchedules(settings, scheduler.client, now);
  const [monitors, firings, project] = [monitorStore(database, now), firingStore(database, now), randomUUID()];
  const conducts = new Map<string, SnapshotConduct>();
  const [snapshots, failedDeliveries] = [new Map<string, number>(), new Map<string, number>()];
  const sentInstants = new Set<string>();
  const target = { id: randomUUID(), changedAt: start, traces: 1 };
  // The database also contains monitors of other worlds, at other times.
  const dueInDatabase = dueMonitors(database, now);
  const due: DueMonitors = {
    ...dueInDatabase,
    list: async function* (at) {
      for await (const each of dueInDatabase.list(at)) if (each.project === project) yield each;
    },
  };
  let processes = 0;

  const deliver = async (body: string): Promise<Delivered> => {
    processes += 1;
    const connection = faultyDatabase(database, seededFaults(random.fork(`process ${processes}`), rates, tally));
    let milliseconds = 200;
    const matching = async ({ id }: Monitor) => {
      snapshots.set(id, (snapshots.get(id) ?? 0) + 1);
      const conduct = conducts.get(id) ?? "well";
      milliseconds = 2 * second;
      if (conduct === "well") return [target];
      tallied(tally, `snapshot ${conduct}`);
      if (conduct === "throws") throw new TypeError("Cannot read properties of undefined (reading 'status')");
      milliseconds = timeout;
      connection.crash();
      throw new Error("The function has reached its time-out.");
    };
    try {
      await monitorFiring(firingPartsOn(connection, matching, clock)).fire(readFiringMessage(body));
      return { acknowledged: true, milliseconds };
    } catch {
      const { monitor } = readFiringMessage(body);
      failedDeliveries.set(monitor, (failedDeliveries.get(monitor) ?? 0) + 1);
      return { acknowledged: false, milliseconds };
    }
  };

  /** Runs one sweep of the monitors. @returns true if every repair succeeded. */
  const sweepOnce = async (): Promise<boolean> => {
    const cursor = cursorStore(database, scheduleCursor, now);
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

    /** Stores a monitor whose creating process crashed before scheduling it. */
    add: async (conduct: SnapshotConduct, cadence = everyMinute): Promise<Monitor> => {
      const { monitor } = await monitors.create(someMonitor(project, { cadence }, now()));
      conducts.set(monitor.id, conduct);
      return monitor;
    },

    /** True if the Scheduler has sent a firing for an instant. */
    wasSent: ({ id }: Monitor, instant: number): boolean => sentInstants.has(`${id} ${instant}`),

    /** Number of the monitor's deliveries that failed. */
    failedDeliveriesOf: ({ id }: Monitor): number => failedDeliveries.get(id) ?? 0,

    snapshotsOf: ({ id }: Monitor): number => snapshots.get(id) ?? 0,

    /** Stored firings of a monitor, newest first. */
    firingsOf: async ({ id }: Monitor) => (await firings.page(project, id, offsetPage(1_000, 0))).items,

    now: async ({ id }: Monitor): Promise<Monitor | undefined> => (await monitors.get(project, id))?.monitor,

    sweepOnce,

    /** Lets a minute pass, with deliveries and a sweep. */
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
        sentInstants.add(`${monitor} ${scheduledAt}`);
        queue.put(body);
      }
      await queue.deliver(deliver);
    },
  };
};
