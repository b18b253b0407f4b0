import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { instantAt } from "../../lib/domain/instant.ts";
import { isTerminal } from "../../lib/domain/run.ts";
import { dispatch } from "../../lib/evaluation/dispatch.ts";
import { sliceEvaluation } from "../../lib/evaluation/evaluate-slice.ts";
import { sweep } from "../../lib/evaluation/sweep.ts";
import type { Database } from "../../lib/store/database.ts";
import { openRunStore } from "../../lib/store/open-runs.ts";
import { runCreation } from "../../lib/store/run-creation.ts";
import { runStore } from "../../lib/store/runs.ts";
import { settlement } from "../../lib/store/settlement.ts";
import { sliceStore } from "../../lib/store/slices.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";
import { traceStore } from "../../lib/store/traces.ts";
import { deleteTrace } from "../support/delete-trace.ts";
import { faultyDatabase, type FaultyDatabase } from "../support/faults.ts";
import { seeded, type Random } from "../support/random.ts";
import { seededFaults, tallied, type Tally } from "../support/seeded-faults.ts";
import { someTrace } from "../support/traces.ts";
import { checkEnd, scoreIdsOfTrace, type PlannedRun } from "./end-state.ts";
import { observer, type Observer } from "./observer.ts";
import { queueModel, type Delivery } from "./queue-model.ts";
import { scriptedJudge } from "./scripted-judge.ts";
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
const functionMilliseconds = 180_000;
const workerReserve = 5_000;

/** Times the stream delivers a record before it gives up. */
const streamAttempts = 3;

/** Steps after the faults have stopped within which every run must have ended, and the time that may pass in them. */
const drainSteps = 4_000;
const drainMilliseconds = 6 * 3_600_000;

/** A process that does a piece of work: its own connection, its own clock. */
interface Process {
  readonly database: FaultyDatabase;
  readonly now: () => number;
}

interface Tracked extends PlannedRun {
  readonly watch: Observer;
  acked: boolean;
  dispatched: boolean;
  dispatches: number;
  attempts: number;
  ended: boolean;
}

/** Traces that no schedule changes, for all of them to evaluate. */
export interface Pool {
  readonly project: string;
  readonly traces: readonly string[];
}

export const storePool = async (database: Database, size: number): Promise<Pool> => {
  const project = randomUUID();
  const traces = Array.from({ length: size }, () => someTrace());
  for (const trace of traces) await traceStore(database, 0).save(project, trace);
  return { project, traces: traces.map(({ trace_id }) => trace_id) };
};

/** A run over some stored traces, some that were never there, and some that go away while it is evaluated. */
const plan = (random: Random, pool: Pool, doomed: readonly string[]): PlannedRun => {
  const metrics = Array.from({ length: random.pick([1, 2, 3, 10, 25, 50]) }, (_, index) => `metric_${index}`);
  const pairs = random.between(0, random.pick([12, 40, 120]));
  const room = Math.min(pool.traces.length, Math.ceil(pairs / metrics.length));
  const first = random.below(pool.traces.length - room + 1);
  const missing = Array.from({ length: random.chance(0.3) ? random.below(4) : 0 }, () => randomUUID());
  const targets = [...pool.traces.slice(first, first + room), ...missing, ...doomed].toSorted();
  return {
    targets,
    order: {
      id: randomUUID(),
      projectId: pool.project,
      name: null,
      targetType: "TRACE",
      metrics,
      filters: {},
      samplingRate: 1,
      model: null,
      resolvedModel: "scripted/judge",
      monitorId: null,
      retryOf: null,
      total: targets.length,
      createdAt: instantAt(start),
      emptyMessage: targets.length === 0 ? "No traces match the provided filters." : null,
    },
  };
};

/**
 * Runs the real pipeline over a database and a queue in which things go wrong as a seed says, then lets the faults stop
 * and checks that everything ended as it must.
 */
export const runSchedule = async (database: Database, pool: Pool, seed: number): Promise<ScheduleReport> => {
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
  const runs: Tracked[] = Array.from({ length: chance.between(1, 2) }, (_, index) => {
    const planned = plan(random.fork(`run ${index}`), pool, doomedIds);
    const watch = observer(lagging, planned.order, broken);
    return { ...planned, watch, acked: false, dispatched: false, dispatches: 0, attempts: 0, ended: false };
  });
  const runOf = (id: string): Tracked | undefined => runs.find(({ order }) => order.id === id);

  let processes = 0;
  const newProcess = (): Process => {
    processes += 1;
    const own = random.fork(`process ${processes}`);
    const killedAt = own.chance(weather.kill) ? own.between(1, 25) : Number.POSITIVE_INFINITY;
    const draw = seededFaults(own, weather.database, tally);
    let requests = 0;
    const skew = own.between(-weather.skew, weather.skew);
    return {
      now: () => clock.now() + skew,
      database: faultyDatabase(database, (call) => {
        requests += 1;
        if (requests < killedAt || call.operation.includes("(")) return draw(call);
        const kind = own.chance(0.5) ? "crash-before" : "crash-after";
        tallied(tally, `${kind} ${call.operation}`);
        return kind;
      }),
    };
  };

  const create = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    run.attempts += 1;
    try {
      await runCreation(own)({ ...run.order, createdAt: instantAt(now()) }, run.targets);
      run.acked ||= !own.crashed;
    } catch {
      // The client of the API sees a 5xx and may repeat its request.
    }
  };

  const sendOut = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    run.dispatches += 1;
    try {
      const stored = await store.read(run.order.projectId, run.order.id);
      if (stored === null || stored.creating) {
        run.dispatches -= 1;
        return;
      }
      if (stored.run.status === "PENDING") await dispatch(stored, store, queue);
      run.dispatched = true;
    } catch {
      // The stream delivers the record again.
    }
  };

  const sweepOnce = async (): Promise<void> => {
    const { database: own, now } = newProcess();
    const open = openRunStore(own);
    const mine = async function* () {
      for await (const found of open.list()) if (runOf(found.run) !== undefined) yield found;
    };
    try {
      await sweep({ ...open, list: mine }, runStore(own, now), queue, now);
    } catch {
      // The next minute's sweep goes on.
    }
  };

  let deliveries = 0;
  const deliveriesOf = new Map<string, number>();
  const deliver = async ({ slice, handle }: Delivery): Promise<void> => {
    deliveries += 1;
    const delivery = deliveries;
    tallied(deliveriesOf, slice.slice);
    const run = runOf(slice.run);
    const before = await run?.watch.pairsOf(slice.slice);
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    const calls = random.fork(`calls ${delivery}`).pick([1, 3, 20]);
    const begun = clock.now();
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(own, now),
      settlement: settlement(own, store, now),
      traces: traceReader(own, now),
      judge: judge.of({ delivery, crashed: () => own.crashed, crash: () => own.crash() }),
      calls,
      now,
    });
    try {
      const result = await evaluate(slice, now() + functionMilliseconds - workerReserve);
      if (own.crashed || clock.now() > begun + functionMilliseconds) return;
      own.crash();
      if (result.kind === "over") {
        const { open } = (await run?.watch.pairsOf(slice.slice)) ?? { open: new Set() };
        broken.expect(open.size === 0, "I3: a slice was acknowledged with pairs open");
        queue.delete(handle);
      }
      if (result.kind === "later") await queue.showAgain(handle, (result.at - now()) / 1000);
    } catch {
      // The message comes back when its visibility ends.
    } finally {
      // What a function has not finished when it answers, it never does.
      own.crash();
      const made = judge.calls.filter((call) => call.delivery === delivery);
      const distinct = new Set(made.map(({ target, metric }) => `${target} ${metric}`));
      broken.expect(distinct.size === made.length, "I13: a pair was judged twice in one delivery");
      broken.expect(distinct.isDisjointFrom(before?.settled ?? new Set()), "I13: a settled pair was judged again");
    }
  };

  /** Scores a trace had when it was deleted: nobody may add to them. */
  const scoredBefore = new Map<string, ReadonlySet<string>>();
  const removeTrace = async (trace: string): Promise<void> => {
    await deleteTrace(database, pool.project, trace);
    scoredBefore.set(trace, new Set(await scoreIdsOfTrace(database, pool.project, trace)));
  };

  const active = new Set<Promise<void>>();
  const begin = (work: Promise<void>): void => {
    const tracked = work.finally(() => active.delete(tracked));
    active.add(tracked);
  };
  const workers = chance.between(1, 5);
  let lastSweep = start;

  /** Does the next thing that can be done; lets time pass when there is none. */
  const step = async (): Promise<void> => {
    const uncreated = runs.find((run) => !run.acked && run.attempts < 3);
    if (uncreated !== undefined && chance.chance(0.5)) return begin(create(uncreated));
    const unsent = runs.find((run) => !run.dispatched && run.dispatches < streamAttempts && !streamOff);
    if (unsent !== undefined && chance.chance(0.5)) return begin(sendOut(unsent));
    if (doomedIds.length > 0 && chance.chance(0.05)) return await removeTrace(doomedIds.pop() ?? "");
    const received = active.size < workers ? queue.receive() : null;
    if (received !== null) return begin(deliver(received));
    if (clock.now() - lastSweep >= sweepPeriod) {
      lastSweep = clock.now();
      return begin(sweepOnce());
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
      const seen = await run.watch.look(run.acked);
      run.ended = seen !== null && isTerminal(seen.status);
      if (chance.chance(0.2)) await run.watch.lookAtScores();
    }
  };

  /** Nothing is left to happen: every run has ended, or its creation failed and nothing of it is left. */
  const settled = async (): Promise<boolean> => {
    if (runs.every((run) => run.ended)) return true;
    for (const run of runs.filter(({ ended, acked }) => !ended && !acked)) {
      if (run.attempts >= 3 && (await runStore(database).read(pool.project, run.order.id)) === null) run.ended = true;
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
  // What is still under way or in the queue must not change a run that has ended.
  for (let steps = 0; steps < 40 && (active.size > 0 || queue.nextVisible() !== null); steps += 1) await step();
  for (let steps = 0; active.size > 0 && steps < 2_000; steps += 1) {
    clock.advance(1_000);
    await Promise.race([...active, wait(1)]);
  }
  broken.expect(active.size === 0, "A worker hangs");

  for (const [trace, before] of scoredBefore) {
    const after = await scoreIdsOfTrace(database, pool.project, trace);
    broken.expect(
      after.every((id) => before.has(id)),
      "I11: a trace was scored after its deletion",
    );
  }
  let scores = 0;
  for (const run of runs) {
    const ended = await run.watch.look(run.acked);
    const found = await run.watch.lookAtScores();
    scores += found.length;
    if (ended === null) {
      const left = await runStore(database).read(pool.project, run.order.id);
      broken.expect(left === null, "I4: a creation that was broken off is left");
      continue;
    }
    broken.expect(isTerminal(ended.status), `I3: a run is still ${ended.status}`);
    if (!isTerminal(ended.status)) continue;
    const always = new Set(run.targets.filter((id) => !pool.traces.includes(id)));
    const perhaps = new Set(doomed.map(({ trace_id }) => trace_id));
    const slices = await runStore(database).slices(
      pool.project,
      run.order.id,
      (await runStore(database).read(pool.project, run.order.id))?.attempt ?? "",
    );
    const countOf = (target: string): number =>
      deliveriesOf.get(slices.find(({ slice }) => slice.targets.includes(target))?.slice.id ?? "") ?? 0;
    const gone = { always: always.difference(perhaps), perhaps };
    await checkEnd(database, run, ended, found, judge.calls, gone, countOf, broken);
  }
  return { seed, violations: broken.found, tally, deliveries, judgeCalls: judge.calls.length, scores };
};
