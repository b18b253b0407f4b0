import { randomUUID } from "node:crypto";
import { mostAttempts } from "../../../lib/domain/monitors/attempts.ts";
import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import type { Database } from "../../../lib/store/database.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { firingWorld } from "./firing-world.ts";

/** What came of a schedule of monitors that are swept. */
export interface SweepingReport {
  readonly seed: number;
  readonly violations: readonly string[];
}

const minute = 60_000;

/** Of the workers; the sweeper's own requests succeed: what it has lost it looks for later than a cadence of minutes. */
const rates = { "crash-before": 0.004, "crash-after": 0.004, throttle: 0.01 };

/**
 * Milliseconds within which what the Scheduler did not send is fired: three minutes of patience and one to the next sweep;
 * where schedules are missing the sweep before may just have looked.
 */
const latest = 6 * minute;

/** For how long processes may die over an instant until it is carried out, and over one that kills them until it is given up. */
const [longestTrial, longestPoisoned] = [15 * minute, 25 * minute];

/** As the Scheduler's names begin. */
const prefixOf = ({ projectId, id }: Pick<Monitor, "projectId" | "id">): string =>
  [projectId, id].map((uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url")).join(".");

/**
 * Monitors, some of which kill their workers, live for the better part of an hour while the Scheduler is down now and then and
 * refuses one of them always. Everybody else fires, every schedule is made, and nothing is tried without end.
 */
export const runSweeping = async (database: Database, seed: number, tally: Tally): Promise<SweepingReport> => {
  const [random, broken] = [seeded(seed), violations()];
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
  const [stays = ""] = orphans;
  scheduler.refuse(stays);
  const begun = clock.now();

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
  broken.expect(lanesLost <= 3, `A poisoned monitor had ${lanesLost} lanes`);

  const period = cadenceMinutes * minute;
  for (const [index, monitor] of [...healthy, unscheduled, ...poisoned].entries()) {
    const name = `The monitor ${index}`;
    const longest = poisoned.includes(monitor) ? longestPoisoned : longestTrial;
    const [patience, over] = [world.deathsOf(monitor) === 0 ? latest : longest, clock.now() - longest];
    const firings = (await world.firingsOf(monitor)).toReversed();
    const known = new Map(firings.map((firing) => [firing.scheduledAt, firing]));
    let served = monitor.nextRunAt ?? 0;
    for (let instant = served; instant < over; instant += period) {
      const firing = known.get(instant);
      const when = `${name}, minute ${(instant - begun) / minute}`;
      // What the Scheduler has lost the next may catch up with.
      if (firing === undefined) broken.expect(!world.wasSent(monitor, instant), `${when} was missed`);
      else {
        const [outcome, decidedAt] = [firing.outcome, Date.parse(firing.decidedAt)];
        const fits = poisoned.includes(monitor) ? outcome === "FAILED" : outcome === "RUN";
        broken.expect(fits || world.deathsOf(monitor) >= mostAttempts, `${when} is ${outcome}: ${firing.reason}`);
        broken.expect((firing.reason === null) === (outcome === "RUN"), `${when} says ${firing.reason}`);
        const late = decidedAt - Math.max(instant, served + period);
        broken.expect(late <= patience, `${when} was fired ${late / minute} min late`);
        served = Math.max(served, instant);
      }
    }
    const now = await world.now(monitor);
    broken.expect((now?.nextRunAt ?? 0) > over, `${name} does not go on`);
    const made = scheduler.names().some((each) => each.startsWith(prefixOf(monitor)));
    broken.expect(made === (monitor !== unscheduled), `${name} has ${made ? "a" : "no"} schedule`);
  }
  for (const monitor of poisoned) {
    const taken = world.snapshotsOf(monitor);
    broken.expect(taken >= 3 && taken <= 15, `A poisoned monitor took ${taken} snapshots`);
  }
  const left = orphans.filter((orphan) => scheduler.names().some((each) => each.startsWith(orphan)));
  broken.expect(left.length === 1 && left[0] === stays, `${left.length} schedules without a monitor are left`);
  broken.expect(world.queue.dead.length === 0, "A firing was dead-lettered");
  return { seed, violations: broken.found };
};
