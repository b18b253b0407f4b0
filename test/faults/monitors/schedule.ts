import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Firing } from "../../../lib/domain/monitors/firing.ts";
import { paused, resumed, withSettings, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { MatchingTarget } from "../../../lib/evaluation/start/matching-targets.ts";
import { monitorFiring, type FiringParts } from "../../../lib/monitors/fire.ts";
import type { FiringMessage } from "../../../lib/queue/firing-message.ts";
import type { Database } from "../../../lib/store/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { snapshotMarks } from "../../../lib/store/monitors/marks.ts";
import { monitorStore, type Monitors } from "../../../lib/store/monitors/monitors.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { Crash, faultyDatabase } from "../../support/faults/faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { seeded, type Random } from "../../support/random.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { virtualClock, type VirtualClock } from "../virtual-clock.ts";

/** What one simulated monitor did. */
export interface FiringReport {
  readonly seed: number;
  readonly instants: number;
  readonly deliveries: number;
  readonly skipped: number;
  readonly violations: readonly string[];
}

const minute = 60_000;
const start = Date.parse("2026-11-21T09:00:00Z");

const rates = { throttle: 0.02, "timeout-after": 0.03, "crash-before": 0.03, "crash-after": 0.04, conflict: 0.01 };
const slow = 0.1;

/** What is there to judge, and when it changed; kept in memory: how it is found is not what is tried here. */
const world = (random: Random, clock: VirtualClock) => {
  const targets = new Map<string, number>([[randomUUID(), clock.now()]]);
  return {
    touch: (): void => {
      const [known] = targets.keys();
      targets.set(random.chance(0.5) || known === undefined ? randomUUID() : known, clock.now());
    },
    matching: (): Promise<readonly MatchingTarget[]> =>
      Promise.resolve([...targets].map(([id, changedAt]) => ({ id, changedAt, traces: 1 }))),
  };
};

const partsOn = (database: Database, matching: FiringParts["matching"], clock: VirtualClock): FiringParts => {
  const [runs, create] = [runStore(database, clock.now), runCreation(database, clock.now)];
  return {
    monitors: monitorStore(database, clock.now),
    firings: firingStore(database, clock.now),
    marks: snapshotMarks(database, clock.now),
    matching,
    runOf: async (project, run) => {
      const stored = await runs.read(project, run);
      return stored === null || stored.creating ? null : stored.run;
    },
    start: ({ id, monitor, targets }) =>
      create(
        someOrder({
          id,
          projectId: monitor.projectId,
          monitorId: monitor.id,
          total: targets.length,
          createdAt: new Date(clock.now()).toISOString().replace("Z", "000+00:00"),
        }),
        wholeTargets(targets.map((target) => target.id)),
      ),
    isAlive: async () => true,
    now: clock.now,
  };
};

/** What is wrong with a monitor at an instant; each look at it goes here. */
const truthOf = (monitor: Monitor, shown: number): string[] => [
  ...(monitor.nextRunAt !== null && monitor.nextRunAt < shown
    ? [`next_run_at moved back to ${monitor.nextRunAt}`]
    : []),
  ...((monitor.lastRunAt === null) !== (monitor.lastRunId === null) ? ["last_run_at and last_run_id disagree"] : []),
];

const outcomesOf = async (parts: FiringParts, monitor: Monitor, count: number): Promise<readonly Firing[]> => {
  const firings: Firing[] = [];
  for (let offset = 0; offset < count; offset += 200) {
    firings.push(...(await parts.firings.page(monitor.projectId, monitor.id, 200, offset)).items);
  }
  return firings;
};

/**
 * A monitor of every minute lives for a number of instants; each is delivered late, more than once, several at a time, by
 * workers whose requests fail and who die, until one of them has carried it out. Then storage is compared with what was due.
 */
export const runFirings = async (
  database: Database,
  seed: number,
  instants: number,
  tally: Tally,
): Promise<FiringReport> => {
  const random = seeded(seed);
  const clock = virtualClock(start);
  const { touch, matching } = world(random, clock);
  const honest = partsOn(database, matching, clock);
  const onlyIfChanged = random.chance(0.5);
  const settings = { cadence: everyMinute, onlyIfChanged, scope: random.chance(0.3) ? "changed" : "all" } as const;
  const fresh = someMonitor(randomUUID(), settings, clock.now());
  let { monitor } = await honest.monitors.create(fresh);
  const violations: string[] = [];
  let deliveries = 0;
  const due = new Map<number, { readonly touched: boolean }>();

  /** What was decided about an instant when a delivery of it had ended first: it stays so. */
  const decided = new Map<number, string>();
  const stands = async ({ project, monitor: id, scheduledAt }: FiringMessage): Promise<void> => {
    const found = await honest.firings.get(project, id, scheduledAt);
    if (found === null) return;
    const now = `${found.outcome} ${found.decidedAt}`;
    const before = decided.get(scheduledAt) ?? now;
    if (before !== now) violations.push(`${scheduledAt} was decided twice: ${before}, ${now}`);
    decided.set(scheduledAt, now);
  };
  const deliver = async (message: FiringMessage): Promise<boolean> => {
    deliveries += 1;
    const own = random.fork(deliveries);
    const faulty = faultyDatabase(
      database,
      slowRequests(own.fork("slow"), () => slow, seededFaults(own, rates, tally)),
    );
    // Machines' clocks differ.
    const ahead = own.below(2_000);
    try {
      await monitorFiring(partsOn(faulty, matching, { ...clock, now: () => clock.now() + ahead })).fire(message);
      await stands(message);
      return true;
    } catch (error) {
      if (error instanceof Crash || faulty.crashed) return false;
      // Everything that is injected is an error of the client's: the message comes back.
      return false;
    }
  };
  const deliverUntilDone = async (message: FiringMessage): Promise<void> => {
    for (let tries = 0; tries < 60; tries += 1) {
      const copies = Array.from({ length: random.between(1, 3) }, () => deliver(message));
      if ((await Promise.all(copies)).includes(true)) return;
    }
    violations.push(`${message.scheduledAt} was never carried out`);
  };
  const change = async (how: (before: Monitor, now: number) => Monitor, monitors: Monitors): Promise<void> => {
    const stored = await monitors.change(fresh.projectId, fresh.id, (before) => how(before, clock.now()));
    if (stored !== null) ({ monitor } = stored);
  };

  const old: FiringMessage[] = [];
  for (let count = 0; count < instants; count += 1) {
    const scheduledAt = monitor.nextRunAt;
    if (scheduledAt === null) throw new Error("The monitor is not active.");
    const touched = random.chance(0.5);
    // Longer than the minute by which a change may be dated before its commit.
    if (touched) touch();
    clock.advance(scheduledAt - clock.now() + random.below(20_000));
    const { projectId: project, id, generation } = monitor;
    const message = { project, monitor: id, generation, scheduledAt };
    due.set(scheduledAt, { touched });
    const renamed = random.chance(0.2) ? `renamed ${count}` : null;
    const rename = async (): Promise<void> => {
      if (renamed === null) return;
      const own = random.fork(renamed);
      await wait(own.below(30));
      const slowly = faultyDatabase(
        database,
        slowRequests(
          own,
          () => 0.8,
          () => null,
        ),
      );
      await change(
        (before, at) => withSettings(before, { name: renamed }, at),
        partsOn(slowly, matching, clock).monitors,
      );
    };
    await Promise.all([deliverUntilDone(message), rename()]);
    old.push(message);
    if (random.chance(0.1)) await deliver(random.pick([message, ...old]));
    const stored = await honest.monitors.get(project, id);
    if (stored === null) throw new Error("The monitor is gone.");
    violations.push(...truthOf(stored.monitor, scheduledAt));
    if (renamed !== null && stored.monitor.settings.name !== renamed)
      violations.push(`${scheduledAt}: a change of the monitor is lost`);
    ({ monitor } = stored);
    if (random.chance(0.03)) {
      await change(paused, honest.monitors);
      // A firing that was under way when the monitor was paused.
      await deliver({ ...message, scheduledAt: scheduledAt + minute });
      clock.advance(random.between(1, 5) * minute);
      await change(resumed, honest.monitors);
      await deliver({ ...message, scheduledAt: scheduledAt + minute });
    }
  }

  const firings = await outcomesOf(honest, monitor, instants + 200);
  const byInstant = new Map(firings.map((firing) => [firing.scheduledAt, firing]));
  for (const instant of due.keys()) if (!byInstant.has(instant)) violations.push(`${instant} was missed`);
  for (const instant of byInstant.keys()) if (!due.has(instant)) violations.push(`${instant} was not due`);
  const runs = new Set<string>();
  for (const { runId, outcome, scheduledAt } of firings) {
    if (outcome === "SKIPPED_UNCHANGED" && (!onlyIfChanged || due.get(scheduledAt)?.touched === true)) {
      violations.push(`${scheduledAt} was skipped although something had changed`);
    }
    if (runId === null) continue;
    if (runs.has(runId)) violations.push(`${runId} is the run of two instants`);
    runs.add(runId);
    if ((await honest.runOf(monitor.projectId, runId)) === null) violations.push(`${scheduledAt} has no run`);
  }
  const newest = firings.find(({ runId }) => runId !== null);
  if (newest !== undefined && monitor.lastRunId !== newest.runId) violations.push("last_run_id is not the newest run");
  return { seed, instants, deliveries, skipped: firings.length - runs.size, violations };
};
