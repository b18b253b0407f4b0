import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isTerminal } from "../../lib/domain/runs/run.ts";
import type { Database } from "../../lib/store/database.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { deleteTrace } from "../support/traces/delete-trace.ts";
import { faultyDatabase } from "../support/faults/faults.ts";
import { seeded } from "../support/random.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { someTrace } from "../support/traces/traces.ts";
import { scoreIdsOf } from "./end-state.ts";
import { observer } from "./aggregates/observer.ts";
import { checkRuns, isBuried } from "./pipeline/end.ts";
import { pipelineWork } from "./pipeline/work.ts";
import { planSessions, planTraces, type Pool } from "./pipeline/planned-run.ts";
import { queueModel } from "./pipeline/queue-model.ts";
import { scriptedJudge } from "./pipeline/scripted-judge.ts";
import type { Tracked } from "./pipeline/tracked-run.ts";
import { violations } from "./violations.ts";
import { virtualClock } from "./virtual-clock.ts";
import { calm, storm, type Weather } from "./weather.ts";

/** What happened in a schedule. */
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

/** Times the stream delivers a record before it gives up. */
const streamAttempts = 3;

/** Steps after the faults have stopped within which every run must have ended, and the time that may pass in them. */
const drainSteps = 4_000;
const drainMilliseconds = 6 * 3_600_000;

export const storePool = async (database: Database, size: number): Promise<Pool> => {
  const project = randomUUID();
  const traces = Array.from({ length: size }, () => someTrace());
  for (const trace of traces) await traceStore(database, 0).save(project, trace);
  return { project, traces: traces.map(({ trace_id }) => trace_id) };
};

/**
 * Runs the real pipeline, for one or two projects, over a database and a queue in which things go wrong as a seed says, then lets the faults stop
 * and checks that everything ended as it must.
 */
export const runSchedule = async (
  database: Database,
  [pool, otherPool]: readonly [Pool, Pool],
  seed: number,
): Promise<ScheduleReport> => {
  const random = seeded(seed);
  const chance = random.fork("driver");
  const tally: Tally = new Map();
  const broken = violations();
  const clock = virtualClock(start);
  let weather: Weather = storm(random.fork("weather"));
  const { streamOff } = weather;
  const queue = queueModel(random.fork("queue"), clock.now, () => weather.queue, tally);
  const judge = scriptedJudge(random.fork("judge"), clock, random.pick([0, 0.1, 1]), () => weather.judge, tally);
  const lagging = faultyDatabase(database, (call) =>
    call.operation === "Query (index)" && chance.chance(0.2) ? "stale-index" : null,
  );

  const doomed = chance.chance(0.3) ? [someTrace(), someTrace()] : [];
  for (const trace of doomed) await traceStore(database, 0).save(pool.project, trace);
  const doomedIds = doomed.map(({ trace_id }) => trace_id);
  const runs: Tracked[] = [];
  for (let index = chance.between(1, 2); index > 0; index -= 1) {
    const own = random.fork(`run ${index}`);
    const planned = own.chance(0.25)
      ? await planSessions(database, own, index === 1 ? pool : otherPool, start)
      : planTraces(own, index === 1 ? pool : otherPool, index === 1 ? doomedIds : [], start);
    runs.push({
      ...planned,
      watch: observer(lagging, database, planned.order, broken),
      doomed: own.chance(0.2) ? own.pick(["with", "without"] as const) : null,
      spared: false,
      deletions: 0,
      deletedWith: null,
      acked: false,
      dispatched: false,
      dispatches: 0,
      attempts: 0,
      ended: false,
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
    broken,
    runs,
  });

  /** Scores a trace had when it was deleted: nobody may add to them. */
  const scoredBefore = new Map<string, ReadonlySet<string>>();
  const removeTrace = async (trace: string): Promise<void> => {
    await deleteTrace(database, pool.project, trace);
    scoredBefore.set(trace, new Set(await scoreIdsOf(database, pool.project, "trace", trace)));
  };

  const active = new Set<Promise<void>>();
  const begin = (task: Promise<void>): void => {
    const tracked = task.finally(() => active.delete(tracked));
    active.add(tracked);
  };
  /** Creations and deletions under way: what comes of a run is not seen before they have ended. */
  let changing = 0;
  const change = async (done: Promise<void>): Promise<void> => {
    changing += 1;
    await done.finally(() => (changing -= 1));
  };
  const workers = chance.between(1, 5);
  let lastSweep = start;

  /** Does the next thing that can be done; lets time pass when there is none. */
  const step = async (): Promise<void> => {
    const uncreated = runs.find((run) => !run.acked && run.attempts < 3);
    if (uncreated !== undefined && chance.chance(0.5)) return begin(change(work.create(uncreated)));
    const unsent = runs.find((run) => !run.dispatched && run.dispatches < streamAttempts && !streamOff);
    if (unsent !== undefined && chance.chance(0.5)) return begin(work.sendOut(unsent));
    const victim = runs.find(
      (run) => run.doomed !== null && run.acked && !run.spared && run.deletedWith === null && run.deletions < 4,
    );
    if (victim !== undefined && chance.chance(0.05)) return begin(change(work.remove(victim)));
    const deleted = runs.find(({ deletedWith }) => deletedWith !== null);
    if (deleted !== undefined && chance.chance(0.03)) return begin(work.purgeOnce(deleted));
    if (doomedIds.length > 0 && chance.chance(0.05)) return await removeTrace(doomedIds.pop() ?? "");
    const received = active.size < workers ? queue.receive() : null;
    if (received !== null) return begin(work.deliver(received));
    if (clock.now() - lastSweep >= sweepPeriod) {
      lastSweep = clock.now();
      return begin(work.sweepOnce());
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
      const seen = await run.watch.look(run.acked, run.deletions > 0);
      run.ended = seen !== null && isTerminal(seen.status);
      if (chance.chance(0.2)) await run.watch.lookAtScores(run.deletions > 0);
    }
  };

  /** Nothing is left to happen: every run has ended, or its creation failed and nothing of it is left. */
  const settled = async (): Promise<boolean> => {
    if (changing > 0) return false;
    for (const run of runs) {
      if (run.deletions === 0) continue;
      // What was seen of it may be older than its deletion.
      const left = await runStore(database).get(run.order.projectId, run.order.id);
      run.ended = left === null ? await isBuried(database, run) : isTerminal(left.status);
    }
    if (runs.every((run) => run.ended)) return true;
    for (const run of runs.filter(({ ended, acked }) => !ended && !acked)) {
      if (run.attempts >= 3 && (await runStore(database).read(run.order.projectId, run.order.id)) === null)
        run.ended = true;
    }
    return runs.every((run) => run.ended);
  };

  for (let steps = chance.between(20, 150); steps > 0; steps -= 1) {
    await step();
    await observe();
  }
  weather = calm;
  const deadline = clock.now() + drainMilliseconds;
  for (let steps = 0; !(await settled()) && steps < drainSteps && clock.now() < deadline; steps += 1) {
    await step();
    await observe();
  }
  for (const run of runs) run.spared = true;
  // What is still under way or in the queue must not change a run that has ended.
  for (let steps = 0; steps < 40 && (active.size > 0 || queue.nextVisible() !== null); steps += 1) {
    // Copies of deleted messages come after days, in which nothing else happens.
    if (active.size === 0) clock.advance((queue.nextVisible() ?? 0) - clock.now());
    lastSweep = clock.now();
    await step();
  }
  for (let steps = 0; active.size > 0 && steps < 2_000; steps += 1) {
    clock.advance(1_000);
    await Promise.race([...active, wait(1)]);
  }
  broken.expect(active.size === 0, "A worker hangs");
  broken.expect(queue.dead.length === 0, "I3: a message was dead-lettered");
  broken.expect(queue.expired.length === 0, "I3: a message outlived its retention");

  for (const [trace, before] of scoredBefore) {
    const after = await scoreIdsOf(database, pool.project, "trace", trace);
    broken.expect(
      after.every((id) => before.has(id)),
      "I11: a trace was scored after its deletion",
    );
  }
  const { deliveriesOf } = work;
  const scores = await checkRuns({
    database,
    traces: [...pool.traces, ...otherPool.traces],
    runs,
    doomed: doomed.map(({ trace_id }) => trace_id),
    judge,
    deliveriesOf,
    broken,
  });
  const deliveries = [...deliveriesOf.values()].reduce((sum, count) => sum + count, 0);
  return { seed, violations: broken.found, tally, deliveries, judgeCalls: judge.calls.length, scores };
};
