import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { maxAttempts } from "../../../lib/domain/monitors/attempts.ts";
import type { Firing } from "../../../lib/domain/monitors/firing.ts";
import { pausedMonitor, resumedMonitor, withSettings, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import type { MatchingTarget } from "../../../lib/evaluation/start/matching-targets.ts";
import { monitorFiring, type FiringDependencies } from "../../../lib/monitors/fire.ts";
import type { FiringMessage } from "../../../lib/queue/firing-message.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import type { Monitors } from "../../../lib/store/monitors/monitors.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { seeded, type Random } from "../../support/random.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { virtualClock, type VirtualClock } from "../virtual-clock.ts";
import { firingPartsOn } from "./firing-parts.ts";

/** Result of the schedule of one simulated monitor. */
export interface FiringReport {
  readonly seed: number;
  readonly instants: number;
  readonly deliveries: number;
  readonly skipped: number;
  readonly violations: readonly string[];
}

const minute = 60_000;

/** Settings of the firing queue: visibility time-out in milliseconds and maximum number of receives. */
const [visibility, receives] = [200_000, 10];
const start = Date.parse("2026-11-21T09:00:00Z");

const rates = { throttle: 0.02, "timeout-after": 0.03, "crash-before": 0.01, "crash-after": 0.015, conflict: 0.01 };
const slow = 0.1;

/** In-memory targets to judge, with the instants of their changes. */
const world = (random: Random, clock: VirtualClock) => {
  const targets = new Map<string, number>();
  const [changes, arrivals] = [new Map<string, number>(), new Map<string, number>()];
  const change = (id: string): void => {
    targets.set(id, clock.now());
    changes.set(id, (changes.get(id) ?? 0) + 1);
    arrivals.set(id, arrivals.get(id) ?? clock.now());
  };
  change(randomUUID());
  return {
    /** Number of times each target has arrived or changed. */
    changes,
    /** Epoch milliseconds of each target's first arrival. */
    arrivals,
    touch: (): void => {
      const [existingTarget] = targets.keys();
      change(random.chance(0.5) || existingTarget === undefined ? randomUUID() : existingTarget);
    },
    matching: (): Promise<readonly MatchingTarget[]> =>
      Promise.resolve([...targets].map(([id, changedAt]) => ({ id, changedAt, traces: 1 }))),
  };
};

/** Counts how often each target occurs in some runs. */
const judgedBy = async (database: Database, project: string, ids: ReadonlySet<string>) => {
  const [runs, judged] = [runStore(database), new Map<string, number>()];
  for (const id of ids) {
    const storedRun = await runs.read(project, id);
    const slices = storedRun === null ? [] : await runs.slices(project, id, storedRun.attempt);
    for (const target of slices.flatMap(({ slice }) => slice.targets))
      judged.set(target, (judged.get(target) ?? 0) + 1);
  }
  return judged;
};

/** Violations in a monitor's state at an instant. */
const monitorViolations = (monitor: Monitor, lastInstant: number): string[] => [
  ...(monitor.nextRunAt !== null && monitor.nextRunAt < lastInstant
    ? [`next_run_at moved back to ${monitor.nextRunAt}`]
    : []),
  ...((monitor.lastRunAt === null) !== (monitor.lastRunId === null) ? ["last_run_at and last_run_id disagree"] : []),
];

const outcomesOf = async (parts: FiringDependencies, monitor: Monitor, count: number): Promise<readonly Firing[]> => {
  const firings: Firing[] = [];
  for (let offset = 0; offset < count; offset += 200) {
    firings.push(...(await parts.firings.page(monitor.projectId, monitor.id, offsetPage(200, offset))).items);
  }
  return firings;
};

/**
 * Simulates an every-minute monitor for a number of instants. Each instant is delivered late, repeatedly and
 * concurrently, by workers whose requests fail and who crash, until one of them succeeds. Then the stored firings are
 * compared with the due instants.
 */
export const runFirings = async (
  database: Database,
  seed: number,
  instants: number,
  tally: Tally,
): Promise<FiringReport> => {
  const random = seeded(seed);
  const clock = virtualClock(start);
  const { arrivals, changes, touch, matching } = world(random, clock);
  const reliableParts = firingPartsOn(database, matching, clock);
  const onlyIfChanged = random.chance(0.5);
  const settings = { cadence: everyMinute, onlyIfChanged, scope: random.chance(0.3) ? "changed" : "all" } as const;
  const fresh = someMonitor(randomUUID(), settings, clock.now());
  let { monitor } = await reliableParts.monitors.create(fresh);
  const violations: string[] = [];
  let deliveries = 0;
  const due = new Map<number, { readonly touched: boolean }>();

  /** Decisions about instants when a delivery first ended; a decision may only change to FAILED. */
  const decided = new Map<number, string>();
  const checkDecision = async ({ project, monitor: id, scheduledAt }: FiringMessage): Promise<void> => {
    const firing = await reliableParts.firings.get(project, id, scheduledAt);
    if (firing === null) return;
    const now = `${firing.outcome} ${firing.decidedAt}`;
    const before = decided.get(scheduledAt) ?? now;
    const givenUp = before === `RUN ${firing.decidedAt}` && firing.outcome === "FAILED";
    if (before !== now && !givenUp) violations.push(`${scheduledAt} was decided twice: ${before}, ${now}`);
    decided.set(scheduledAt, now);
  };
  /** Failed deliveries: by instant, and in succession. */
  const [failures, streak] = [new Map<number, number>(), { now: 0, longest: 0 }];
  const deliver = async (message: FiringMessage): Promise<boolean> => {
    deliveries += 1;
    const chance = random.fork(deliveries);
    const faulty = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, seededFaults(chance, rates, tally)),
    );
    // The clocks of machines differ.
    const ahead = chance.below(2_000);
    try {
      await monitorFiring(firingPartsOn(faulty, matching, { ...clock, now: () => clock.now() + ahead })).fire(message);
      await checkDecision(message);
      // A copy that another worker handled at the same time proves nothing.
      const storedMonitor = await reliableParts.monitors.get(message.project, message.monitor);
      if ((storedMonitor?.monitor.attempts?.unproven ?? 0) === 0) streak.now = 0;
      return true;
    } catch {
      // Every injected failure is a client error or a crash, after which the message returns.
      failures.set(message.scheduledAt, (failures.get(message.scheduledAt) ?? 0) + 1);
      streak.now += 1;
      streak.longest = Math.max(streak.longest, streak.now);
      return false;
    }
  };
  const deliverUntilDone = async (message: FiringMessage): Promise<void> => {
    // A copy is an independent message that returns until a worker has finished it.
    let copies = random.between(1, 3);
    for (let tries = 0; tries < receives; tries += 1) {
      const results = await Promise.all(Array.from({ length: copies }, () => deliver(message)));
      copies = results.filter((isDone) => !isDone).length;
      if (copies === 0) return;
      clock.advance(visibility);
    }
    violations.push(`${message.scheduledAt} was never carried out`);
  };
  const change = async (how: (before: Monitor, now: number) => Monitor, monitors: Monitors): Promise<void> => {
    const storedMonitor = await monitors.change(fresh.projectId, fresh.id, (before) => how(before, clock.now()));
    if (storedMonitor !== null) ({ monitor } = storedMonitor);
  };

  const old: FiringMessage[] = [];
  for (let count = 0; count < instants; count += 1) {
    const scheduledAt = monitor.nextRunAt;
    if (scheduledAt === null) throw new Error("The monitor is not active.");
    const touched = random.chance(0.5);
    // More than the minute by which a change may be dated before its commit.
    if (touched) touch();
    // Instants are distinct milliseconds.
    clock.advance(Math.max(0, scheduledAt - clock.now()) + random.between(1, 20_000));
    const { projectId: project, id, generation } = monitor;
    const message = { project, monitor: id, generation, scheduledAt };
    due.set(scheduledAt, { touched });
    const renamed = random.chance(0.2) ? `renamed ${count}` : null;
    const rename = async (): Promise<void> => {
      if (renamed === null) return;
      const chance = random.fork(renamed);
      await wait(chance.below(30));
      const slowly = faultyDatabase(
        database,
        slowRequests(
          chance,
          () => 0.8,
          () => null,
        ),
      );
      await change(
        (before, at) => withSettings(before, { name: renamed }, at),
        firingPartsOn(slowly, matching, clock).monitors,
      );
    };
    await Promise.all([deliverUntilDone(message), rename()]);
    old.push(message);
    if (random.chance(0.1)) await deliver(random.pick([message, ...old]));
    const storedMonitor = await reliableParts.monitors.get(project, id);
    if (storedMonitor === null) throw new Error("The monitor is gone.");
    violations.push(...monitorViolations(storedMonitor.monitor, scheduledAt));
    if (renamed !== null && storedMonitor.monitor.settings.name !== renamed)
      violations.push(`${scheduledAt}: a change of the monitor is lost`);
    ({ monitor } = storedMonitor);
    if (random.chance(0.03)) {
      await change(pausedMonitor, reliableParts.monitors);
      // A firing that was in flight when the monitor was paused.
      await deliver({ ...message, scheduledAt: scheduledAt + minute });
      clock.advance(random.between(1, 5) * minute);
      await change(resumedMonitor, reliableParts.monitors);
      await deliver({ ...message, scheduledAt: scheduledAt + minute });
    }
  }

  const firings = await outcomesOf(reliableParts, monitor, instants + 200);
  const byInstant = new Map(firings.map((firing) => [firing.scheduledAt, firing]));
  for (const instant of due.keys()) if (!byInstant.has(instant)) violations.push(`${instant} was missed`);
  for (const instant of byInstant.keys()) if (!due.has(instant)) violations.push(`${instant} was not due`);
  const runs = new Set<string>();
  for (const { runId, outcome, reason, scheduledAt } of firings) {
    if (outcome === "SKIPPED_UNCHANGED" && (!onlyIfChanged || due.get(scheduledAt)?.touched === true)) {
      violations.push(`${scheduledAt} was skipped although something had changed`);
    }
    const failedDeliveries = failures.get(scheduledAt) ?? 0;
    if (outcome === "FAILED" && failedDeliveries < maxAttempts && streak.longest < maxAttempts)
      violations.push(`${scheduledAt} was given up after ${failedDeliveries} deliveries had failed: ${reason}`);
    if (runId === null) continue;
    if (runs.has(runId)) violations.push(`${runId} is the run of two instants`);
    runs.add(runId);
    if ((await reliableParts.runOf(monitor.projectId, runId)) === null) violations.push(`${scheduledAt} has no run`);
  }
  const dated = new Map<string, string>();
  for (const id of runs) dated.set(id, (await reliableParts.runOf(monitor.projectId, id))?.order.createdAt ?? "");
  // Clocks differ, so the first of two runs created in quick succession may have the later date and is then shown as
  // the last run.
  const newest = [...dated.values()].toSorted().at(-1);
  if (newest !== undefined && dated.get(monitor.lastRunId ?? "") !== newest)
    violations.push("last_run_id is not the newest run");
  const judged = await judgedBy(database, monitor.projectId, runs);
  for (const [target, times] of settings.scope === "changed" ? judged : []) {
    const changed = changes.get(target) ?? 0;
    if (times > changed) violations.push(`A target that has changed ${changed} times was judged ${times} times`);
  }
  const last = Math.max(0, ...firings.filter(({ runId }) => runId !== null).map(({ scheduledAt }) => scheduledAt));
  for (const [target, at] of arrivals)
    if (at <= last && !judged.has(target)) violations.push("A target was never judged");
  return { seed, instants, deliveries, skipped: firings.length - runs.size, violations };
};
