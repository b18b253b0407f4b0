import { randomUUID } from "node:crypto";
import { maxAttempts } from "../../../lib/domain/monitors/attempts.ts";
import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { firingWorld } from "./firing-world.ts";

/** Result of a schedule of monitors with a sweeper. */
export interface SweepingReport {
  readonly seed: number;
  readonly violations: readonly string[];
}

const minute = 60_000;

/**
 * Fault rates of the workers; the sweeper's own requests succeed, as a lost one would be retried later than a cadence
 * of minutes.
 */
const rates = { "crash-before": 0.004, "crash-after": 0.004, throttle: 0.01 };

/**
 * Milliseconds within which an instant that the Scheduler missed is fired: three minutes of grace and one until the
 * next sweep; with missing schedules the sweep before may have just checked.
 */
const latest = 6 * minute;

/**
 * Milliseconds until an instant with crashing processes is carried out, and until an instant that kills every worker is
 * given up. Both from its turn: the sweeper makes up for lost instants one after the other, each after the outcome of the one before.
 */
const [longestTrial, longestPoisoned] = [15 * minute, 25 * minute];

/** Prefix of a monitor's schedule names in the Scheduler. */
const prefixOf = ({ projectId, id }: Pick<Monitor, "projectId" | "id">): string =>
  [projectId, id].map((uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url")).join(".");

/**
 * Runs monitors, some of which kill their workers, for most of an hour while the Scheduler is sometimes down and always
 * refuses one of them. All others must fire, every schedule must be created, and nothing may be retried forever.
 */
export const runSweeping = async (database: Database, seed: number, tally: Tally): Promise<SweepingReport> => {
  const [random, invariants] = [seeded(seed), violations()];
  const world = firingWorld(database, random, tally, rates);
  const { clock, scheduler } = world;
  const cadenceMinutes = random.pick([3, 4, 5]);
  const cadence = `cron:*/${cadenceMinutes} * * * *`;
  const healthy = [
    await world.add("well", cadence),
    await world.add("well", cadence),
    await world.add("well", "daily"),
  ];
  const poisoned = [await world.add("throws", cadence), await world.add("dies at its time-out", cadence)];
  const unscheduled = await world.add("well", cadence);
  scheduler.refuse(prefixOf(unscheduled));
  const orphans = Array.from({ length: 4 }, () => prefixOf({ projectId: world.project, id: randomUUID() }));
  for (const orphan of orphans) scheduler.plant(`${orphan}.0`);
  const [undeletableOrphan = ""] = orphans;
  scheduler.refuse(undeletableOrphan);
  const startedAt = clock.now();

  const downs = [random.between(0, 8), random.between(15, 22)].map((from) => ({
    from,
    until: from + random.between(1, 8),
  }));
  const minutes = 45;
  for (let at = 0; at < minutes; at += 1) {
    scheduler.down = downs.some(({ from, until }) => at >= from && at < until);
    await world.minute();
  }
  const { lanesLost } = world.queue;
  invariants.expect(lanesLost <= 3, `A poisoned monitor had ${lanesLost} lanes`);

  const period = cadenceMinutes * minute;
  for (const [index, monitor] of [...healthy, unscheduled, ...poisoned].entries()) {
    const name = `The monitor ${index}`;
    const longest = poisoned.includes(monitor) ? longestPoisoned : longestTrial;
    const hasFailures = world.failedDeliveriesOf(monitor) > 0;
    const [maxDelay, checkedUntil] = [hasFailures ? longest : latest, clock.now() - longest];
    const firings = (await world.firingsOf(monitor)).toReversed();
    const firingsByInstant = new Map(firings.map((firing) => [firing.scheduledAt, firing]));
    let served = monitor.nextRunAt ?? 0;
    let turn = served;
    for (let instant = served; instant < checkedUntil; instant += period) {
      const firing = firingsByInstant.get(instant);
      const when = `${name}, minute ${(instant - startedAt) / minute}`;
      // The next instant may make up for one that the Scheduler lost.
      if (firing === undefined) invariants.expect(!world.wasSent(monitor, instant), `${when} was missed`);
      else {
        const [outcome, decidedAt] = [firing.outcome, Date.parse(firing.decidedAt)];
        const fits = poisoned.includes(monitor) ? outcome === "FAILED" : outcome === "RUN";
        invariants.expect(
          fits || world.failedDeliveriesOf(monitor) >= maxAttempts,
          `${when} is ${outcome}: ${firing.reason}`,
        );
        invariants.expect((firing.reason === null) === (outcome === "RUN"), `${when} says ${firing.reason}`);
        const delay = decidedAt - Math.max(instant, served + period, hasFailures ? turn : 0);
        invariants.expect(delay <= maxDelay, `${when} was fired ${delay / minute} min late`);
        served = Math.max(served, instant);
        turn = Math.max(turn, decidedAt);
      }
    }
    const now = await world.now(monitor);
    invariants.expect((now?.nextRunAt ?? 0) > checkedUntil, `${name} does not go on`);
    const hasSchedule = scheduler.names().some((each) => each.startsWith(prefixOf(monitor)));
    invariants.expect(hasSchedule === (monitor !== unscheduled), `${name} has ${hasSchedule ? "a" : "no"} schedule`);
  }
  for (const monitor of poisoned) {
    const snapshotCount = world.snapshotsOf(monitor);
    invariants.expect(snapshotCount >= 3 && snapshotCount <= 15, `A poisoned monitor took ${snapshotCount} snapshots`);
  }
  const remainingOrphans = orphans.filter((orphan) => scheduler.names().some((each) => each.startsWith(orphan)));
  invariants.expect(
    remainingOrphans.length === 1 && remainingOrphans[0] === undeletableOrphan,
    `${remainingOrphans.length} schedules without a monitor are left`,
  );
  invariants.expect(world.queue.dead.length === 0, "A firing was dead-lettered");
  return { seed, violations: invariants.messages };
};
