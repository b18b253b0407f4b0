import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isTerminal } from "../../lib/domain/runs/run.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { saveTraces } from "../support/traces/save-traces.ts";
import { deleteTrace } from "../support/traces/delete-trace.ts";
import { faultyDatabase } from "../support/faults/faults.ts";
import { seeded } from "../support/random.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { someTrace } from "../support/traces/traces.ts";
import { scoreIdsOf } from "./end-state.ts";
import { observer } from "./aggregates/observer.ts";
import { checkRuns, isDeletionComplete } from "./pipeline/end.ts";
import { pipelineWork } from "./pipeline/work.ts";
import { planSessions, planTraces, type Pool } from "./pipeline/planned-run.ts";
import { queueModel } from "./pipeline/queue-model.ts";
import { scriptedJudge } from "./pipeline/scripted-judge.ts";
import type { Tracked } from "./pipeline/tracked-run.ts";
import { violations } from "./violations.ts";
import { virtualClock } from "./virtual-clock.ts";
import { calm, storm, type Weather } from "./weather.ts";

/** Result of one schedule. */
export interface ScheduleReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  readonly deliveries: number;
  readonly judgeCalls: number;
  readonly scores: number;
}

const start = Date.parse("2026-10-01T12:00:00Z");
const sweepPeriod = 60_000;

/** Maximum number of times the stream delivers a record. */
const streamAttempts = 3;

/** Limits for the end of all runs after fault injection has stopped: steps, and simulated milliseconds. */
const drainSteps = 4_000;
const drainMilliseconds = 6 * 3_600_000;

export const storePool = async (database: Database, size: number): Promise<Pool> => {
  const project = randomUUID();
  const traces = Array.from({ length: size }, () => someTrace());
  await saveTraces(database, project, traces);
  return { project, traces: traces.map(({ trace_id }) => trace_id) };
};

/**
 * Runs the real pipeline for one or two projects over a database and a queue with seeded faults, then stops the faults
 * and checks that every run ended correctly.
 */
export const runSchedule = async (
  database: Database,
  [pool, otherPool]: readonly [Pool, Pool],
  seed: number,
): Promise<ScheduleReport> => {
  const random = seeded(seed);
  const chance = random.fork("driver");
  const tally: Tally = new Map();
  const invariants = violations();
  const clock = virtualClock(start);
  let weather: Weather = storm(random.fork("weather"));
  const { streamOff } = weather;
  const queue = queueModel(random.fork("queue"), clock.now, () => weather.queue, tally);
  const judge = scriptedJudge(random.fork("judge"), clock, random.pick([0, 0.1, 1]), () => weather.judge, tally);
  const lagging = faultyDatabase(database, (call) =>
    call.operation === "Query (index)" && chance.chance(0.2) ? "stale-index" : null,
  );

  const deletedTraces = chance.chance(0.3) ? [someTrace(), someTrace()] : [];
  for (const trace of deletedTraces) await traceStore(database, 0).save(pool.project, trace);
  const deletedTraceIds = deletedTraces.map(({ trace_id }) => trace_id);
  const runs: Tracked[] = [];
  for (let index = chance.between(1, 2); index > 0; index -= 1) {
    const chanceOfRun = random.fork(`run ${index}`);
    const planned = chanceOfRun.chance(0.25)
      ? await planSessions(database, chanceOfRun, index === 1 ? pool : otherPool, start)
      : planTraces(chanceOfRun, index === 1 ? pool : otherPool, index === 1 ? deletedTraceIds : [], start);
    runs.push({
      ...planned,
      watch: observer(lagging, database, planned.order, invariants),
      deletionMode: chanceOfRun.chance(0.2) ? chanceOfRun.pick(["with", "without"] as const) : null,
      spared: false,
      deletions: 0,
      deletedWith: null,
      acked: false,
      dispatched: false,
      dispatches: 0,
      attempts: 0,
      hasEnded: false,
      hasLeft: false,
    });
  }

  const work = pipelineWork({
    database,
    random,
    clock,
    start,
    weather: () => weather,
    queue,
    judge,
    tally,
    invariants: invariants,
    runs,
  });

  /** Scores of each trace at the time of its deletion, to which none may be added. */
  const scoredBefore = new Map<string, ReadonlySet<string>>();
  const removeTrace = async (trace: string): Promise<void> => {
    await deleteTrace(database, pool.project, trace);
    scoredBefore.set(trace, new Set(await scoreIdsOf(database, pool.project, "trace", trace)));
  };

  const active = new Set<Promise<void>>();
  const track = (task: Promise<void>): void => {
    const tracked = task.finally(() => active.delete(tracked));
    active.add(tracked);
  };
  /** Number of creations and deletions in flight; the state of a run is only final after they have ended. */
  let changing = 0;
  const change = async (work: Promise<void>): Promise<void> => {
    changing += 1;
    await work.finally(() => (changing -= 1));
  };
  const workers = chance.between(1, 5);
  let lastSweep = start;

  /** Performs the next possible step, or advances the clock when there is none. */
  const step = async (): Promise<void> => {
    const uncreated = runs.find((run) => !run.acked && run.attempts < 3);
    if (uncreated !== undefined && chance.chance(0.5)) return track(change(work.create(uncreated)));
    const unsent = runs.find((run) => !run.dispatched && run.dispatches < streamAttempts && !streamOff);
    if (unsent !== undefined && chance.chance(0.5)) return track(work.dispatchRun(unsent));
    const victim = runs.find(
      (run) => run.deletionMode !== null && run.acked && !run.spared && run.deletedWith === null && run.deletions < 4,
    );
    if (victim !== undefined && chance.chance(0.05)) return track(change(work.remove(victim)));
    const deleted = runs.find(({ deletedWith }) => deletedWith !== null);
    if (deleted !== undefined && chance.chance(0.03)) return track(work.purgeOnce(deleted));
    const ended = runs.find(({ hasEnded, hasLeft }) => hasEnded && !hasLeft);
    if (ended !== undefined && chance.chance(0.3)) return track(work.endTurns(ended));
    if (deletedTraceIds.length > 0 && chance.chance(0.05)) return await removeTrace(deletedTraceIds.pop() ?? "");
    const received = active.size < workers ? queue.receive() : null;
    if (received !== null) return track(work.deliver(received));
    if (clock.now() - lastSweep >= sweepPeriod) {
      lastSweep = clock.now();
      return track(work.sweepOnce());
    }
    if (active.size > 0) {
      await Promise.race([...active, wait(1)]);
      if (chance.chance(0.4)) clock.advance(chance.below(weather === calm ? 3_000 : 40_000));
      return;
    }
    const next = Math.min(queue.nextVisible() ?? Number.POSITIVE_INFINITY, lastSweep + sweepPeriod);
    clock.advance(Math.max(1, next - clock.now()));
  };

  const observe = async (): Promise<void> => {
    for (const run of runs) {
      if (chance.chance(0.5)) continue;
      const observedRun = await run.watch.readRun(run.acked, run.deletions > 0);
      run.hasEnded = observedRun !== null && isTerminal(observedRun.status);
      if (chance.chance(0.2)) await run.watch.readScores(run.deletions > 0);
    }
  };

  /** True if every run has ended, or its creation failed and left no item. */
  const hasSettled = async (): Promise<boolean> => {
    if (changing > 0) return false;
    for (const run of runs) {
      if (run.deletions === 0) continue;
      // The observed state may be older than the deletion.
      const remainingRun = await runStore(database).get(run.order.projectId, run.order.id);
      run.hasEnded = remainingRun === null ? await isDeletionComplete(database, run) : isTerminal(remainingRun.status);
    }
    if (runs.every((run) => run.hasEnded)) return true;
    for (const run of runs.filter(({ hasEnded, acked }) => !hasEnded && !acked)) {
      if (run.attempts >= 3 && (await runStore(database).read(run.order.projectId, run.order.id)) === null)
        run.hasEnded = true;
    }
    return runs.every((run) => run.hasEnded);
  };

  for (let steps = chance.between(20, 150); steps > 0; steps -= 1) {
    await step();
    await observe();
  }
  weather = calm;
  const deadline = clock.now() + drainMilliseconds;
  for (let steps = 0; !(await hasSettled()) && steps < drainSteps && clock.now() < deadline; steps += 1) {
    await step();
    await observe();
  }
  for (const run of runs) run.spared = true;
  // Work in flight and queued messages must not change an ended run.
  for (let steps = 0; steps < 40 && (active.size > 0 || queue.nextVisible() !== null); steps += 1) {
    // Copies of deleted messages arrive after days without other events.
    if (active.size === 0) clock.advance((queue.nextVisible() ?? 0) - clock.now());
    lastSweep = clock.now();
    await step();
  }
  for (let steps = 0; active.size > 0 && steps < 2_000; steps += 1) {
    clock.advance(1_000);
    await Promise.race([...active, wait(1)]);
  }
  invariants.expect(active.size === 0, "A worker hangs");
  invariants.expect(queue.dead.length === 0, "I3: a message was dead-lettered");
  invariants.expect(queue.expired.length === 0, "I3: a message outlived its retention");

  for (const [trace, before] of scoredBefore) {
    const after = await scoreIdsOf(database, pool.project, "trace", trace);
    invariants.expect(
      after.every((id) => before.has(id)),
      "I11: a trace was scored after its deletion",
    );
  }
  const { deliveriesOf } = work;
  const scores = await checkRuns({
    database,
    traces: [...pool.traces, ...otherPool.traces],
    runs,
    deletedTraces: deletedTraces.map(({ trace_id }) => trace_id),
    judge,
    deliveriesOf,
    invariants: invariants,
  });
  const deliveries = [...deliveriesOf.values()].reduce((sum, count) => sum + count, 0);
  return { seed, violations: invariants.messages, tally, deliveries, judgeCalls: judge.calls.length, scores };
};
