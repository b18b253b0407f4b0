import { pageAt } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { mostAttempts } from "../../../lib/domain/monitors/attempts.ts";
import type { Firing } from "../../../lib/domain/monitors/firing.ts";
import { paused, resumed, withSettings, type Monitor } from "../../../lib/domain/monitors/monitor.ts";
import type { MatchingTarget } from "../../../lib/evaluation/start/matching-targets.ts";
import { monitorFiring, type FiringParts } from "../../../lib/monitors/fire.ts";
import type { FiringMessage } from "../../../lib/queue/firing-message.ts";
import type { Database } from "../../../lib/store/database.ts";
import type { Monitors } from "../../../lib/store/monitors/monitors.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { seeded, type Random } from "../../support/random.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { virtualClock, type VirtualClock } from "../virtual-clock.ts";
import { firingPartsOn } from "./firing-parts.ts";

/** What one simulated monitor did. */
export interface FiringReport {
  readonly seed: number;
  readonly instants: number;
  readonly deliveries: number;
  readonly skipped: number;
  readonly violations: readonly string[];
}

const minute = 60_000;

/** As the queue of firings has it: when a message comes back, and how often. */
const [visibility, receives] = [200_000, 10];
const start = Date.parse("2026-11-21T09:00:00Z");

const rates = { throttle: 0.02, "timeout-after": 0.03, "crash-before": 0.01, "crash-after": 0.015, conflict: 0.01 };
const slow = 0.1;

/** What is there to judge, and when it changed; kept in memory: how it is found is not what is tried here. */
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
    /** How often each has arrived or changed. */
    changes,
    /** When each has arrived first. */
    arrivals,
    touch: (): void => {
      const [known] = targets.keys();
      change(random.chance(0.5) || known === undefined ? randomUUID() : known);
    },
    matching: (): Promise<readonly MatchingTarget[]> =>
      Promise.resolve([...targets].map(([id, changedAt]) => ({ id, changedAt, traces: 1 }))),
  };
};

/** How often each target is in one of some runs. */
const judgedBy = async (database: Database, project: string, ids: ReadonlySet<string>) => {
  const [runs, judged] = [runStore(database), new Map<string, number>()];
  for (const id of ids) {
    const stored = await runs.read(project, id);
    const slices = stored === null ? [] : await runs.slices(project, id, stored.attempt);
    for (const target of slices.flatMap(({ slice }) => slice.targets))
      judged.set(target, (judged.get(target) ?? 0) + 1);
  }
  return judged;
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
    firings.push(...(await parts.firings.page(monitor.projectId, monitor.id, pageAt(200, offset))).items);
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
  const { arrivals, changes, touch, matching } = world(random, clock);
  const honest = firingPartsOn(database, matching, clock);
  const onlyIfChanged = random.chance(0.5);
  const settings = { cadence: everyMinute, onlyIfChanged, scope: random.chance(0.3) ? "changed" : "all" } as const;
  const fresh = someMonitor(randomUUID(), settings, clock.now());
  let { monitor } = await honest.monitors.create(fresh);
  const violations: string[] = [];
  let deliveries = 0;
  const due = new Map<number, { readonly touched: boolean }>();

  /** What was decided about an instant when a delivery of it had ended first: it stays so, or is given up. */
  const decided = new Map<number, string>();
  const stands = async ({ project, monitor: id, scheduledAt }: FiringMessage): Promise<void> => {
    const found = await honest.firings.get(project, id, scheduledAt);
    if (found === null) return;
    const now = `${found.outcome} ${found.decidedAt}`;
    const before = decided.get(scheduledAt) ?? now;
    const givenUp = before === `RUN ${found.decidedAt}` && found.outcome === "FAILED";
    if (before !== now && !givenUp) violations.push(`${scheduledAt} was decided twice: ${before}, ${now}`);
    decided.set(scheduledAt, now);
  };
  /** Deliveries that came to nothing: of each instant, and one after the other. */
  const [failures, streak] = [new Map<number, number>(), { now: 0, longest: 0 }];
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
      await monitorFiring(firingPartsOn(faulty, matching, { ...clock, now: () => clock.now() + ahead })).fire(message);
      await stands(message);
      // A copy that another worker was at proves nothing.
      const stored = await honest.monitors.get(message.project, message.monitor);
      if ((stored?.monitor.attempts?.unproven ?? 0) === 0) streak.now = 0;
      return true;
    } catch {
      // Everything that is injected is an error of the client's, or its end: the message comes back.
      failures.set(message.scheduledAt, (failures.get(message.scheduledAt) ?? 0) + 1);
      streak.now += 1;
      streak.longest = Math.max(streak.longest, streak.now);
      return false;
    }
  };
  const deliverUntilDone = async (message: FiringMessage): Promise<void> => {
    // A copy is a message of its own, which comes back until a worker has ended.
    let copies = random.between(1, 3);
    for (let tries = 0; tries < receives; tries += 1) {
      const ended = await Promise.all(Array.from({ length: copies }, () => deliver(message)));
      copies = ended.filter((done) => !done).length;
      if (copies === 0) return;
      clock.advance(visibility);
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
    // Never twice in one millisecond.
    clock.advance(Math.max(0, scheduledAt - clock.now()) + random.between(1, 20_000));
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
        firingPartsOn(slowly, matching, clock).monitors,
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
  for (const { runId, outcome, reason, scheduledAt } of firings) {
    if (outcome === "SKIPPED_UNCHANGED" && (!onlyIfChanged || due.get(scheduledAt)?.touched === true)) {
      violations.push(`${scheduledAt} was skipped although something had changed`);
    }
    const tried = failures.get(scheduledAt) ?? 0;
    if (outcome === "FAILED" && tried < mostAttempts && streak.longest < mostAttempts)
      violations.push(`${scheduledAt} was given up after ${tried} deliveries had failed: ${reason}`);
    if (runId === null) continue;
    if (runs.has(runId)) violations.push(`${runId} is the run of two instants`);
    runs.add(runId);
    if ((await honest.runOf(monitor.projectId, runId)) === null) violations.push(`${scheduledAt} has no run`);
  }
  const dated = new Map<string, string>();
  for (const id of runs) dated.set(id, (await honest.runOf(monitor.projectId, id))?.order.createdAt ?? "");
  // Machines' clocks differ: of two runs made shortly after each other the first may be dated last, and is the one shown.
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
