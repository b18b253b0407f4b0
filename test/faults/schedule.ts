import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { instantAt } from "../../lib/domain/instant.ts";
import { isTerminal } from "../../lib/domain/run.ts";
import { dispatch } from "../../lib/evaluation/dispatch.ts";
import { sliceEvaluation } from "../../lib/evaluation/evaluate-slice.ts";
import { runPurge } from "../../lib/evaluation/purge-run.ts";
import { sessionTargets } from "../../lib/evaluation/session-targets.ts";
import { sweep } from "../../lib/evaluation/sweep.ts";
import { traceTargets } from "../../lib/evaluation/trace-targets.ts";
import type { Database } from "../../lib/store/database.ts";
import { openRunStore } from "../../lib/store/open-runs.ts";
import { runDeletion } from "../../lib/store/run-deletion.ts";
import { runCreation } from "../../lib/store/run-creation.ts";
import { runStore } from "../../lib/store/runs.ts";
import { scoreRemoval } from "../../lib/store/score-removal.ts";
import { sessionRows } from "../../lib/store/session-rows.ts";
import { settlement } from "../../lib/store/settlement.ts";
import { signalScores } from "../../lib/store/signal-scores.ts";
import { sliceStore } from "../../lib/store/slices.ts";
import { spendStore } from "../../lib/store/spend.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";
import { traceStore } from "../../lib/store/traces.ts";
import { deleteTrace } from "../support/delete-trace.ts";
import { faultyDatabase, type Call, type Decide, type FaultKind, type FaultyDatabase } from "../support/faults.ts";
import { seeded } from "../support/random.ts";
import { seededFaults, tallied, type Tally } from "../support/seeded-faults.ts";
import { someTrace } from "../support/traces.ts";
import { checkAnswers, checkEnd, scoreIdsOf } from "./end-state.ts";
import { planSessions, planTraces, type PlannedRun, type Pool } from "./planned-run.ts";
import { everyScoreId } from "./run-score-list.ts";
import { checkSessions } from "./session-end.ts";
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

/** How long the index of sessions may lag, less than a run of sessions waits for it. */
const indexLag = 4_000;

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
  /** Somebody will delete it; with its scores, or without. */
  readonly doomed: "with" | "without" | null;
  /** It is too late for that. */
  spared: boolean;
  deletions: number;
  /** What was stored of its scores when its deletion was acknowledged; null before that. */
  deletedWith: ReadonlySet<string> | null;
  acked: boolean;
  dispatched: boolean;
  dispatches: number;
  attempts: number;
  ended: boolean;
}

export const storePool = async (database: Database, size: number): Promise<Pool> => {
  const project = randomUUID();
  const traces = Array.from({ length: size }, () => someTrace());
  for (const trace of traces) await traceStore(database, 0).save(project, trace);
  return { project, traces: traces.map(({ trace_id }) => trace_id) };
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
  const runs: Tracked[] = [];
  for (let index = chance.between(1, 2); index > 0; index -= 1) {
    const own = random.fork(`run ${index}`);
    const planned = own.chance(0.25)
      ? await planSessions(database, own, pool, start)
      : planTraces(own, pool, doomedIds, start);
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
  const runOf = (id: string): Tracked | undefined => runs.find(({ order }) => order.id === id);

  let processes = 0;
  /** The index of sessions lags for less time than a run waits for it, by clocks that agree. */
  const inTime = async (drawn: ReturnType<Decide>, { input }: Call): Promise<FaultKind | null> => {
    const kind = await drawn;
    return kind === "stale-index" &&
      input["IndexName"] === "by-session" &&
      (weather.skew > 0 || clock.now() > start + indexLag)
      ? null
      : kind;
  };

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
        if (requests < killedAt || call.operation.includes("(")) return inTime(draw(call), call);
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
    const store = runStore(own, now);
    const deletion = runDeletion(own, store, now);
    const mine = async function* (all: ReturnType<typeof open.list>) {
      for await (const found of all) if (runOf(found.run) !== undefined) yield found;
    };
    try {
      await sweep({
        openRuns: { ...open, list: () => mine(open.list()) },
        runs: store,
        queue,
        deletion: { ...deletion, list: () => mine(deletion.list()) },
        purge: runPurge({ deletion, scores: scoreRemoval(own), spend: spendStore(own, now), now }),
        now,
      });
    } catch {
      // The next minute's sweep goes on.
    }
  };

  /** A client deletes a run; it repeats what was answered with a 5xx. */
  const remove = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    run.deletions += 1;
    try {
      const stored = await store.read(run.order.projectId, run.order.id);
      const done = stored !== null && (await runDeletion(own, store, now).remove(stored, run.doomed === "with"));
      if (done && !own.crashed) run.deletedWith = await everyScoreId(database, run.order);
    } catch {
      // The client sees a 5xx.
    }
  };

  /** The stream's worker, once a run was deleted. */
  const purgeOnce = async (run: Tracked): Promise<void> => {
    const { database: own, now } = newProcess();
    const deletion = runDeletion(own, runStore(own, now), now);
    try {
      const stored = await deletion.find(run.order.projectId, run.order.id);
      if (stored !== null)
        await runPurge({ deletion, scores: scoreRemoval(own), spend: spendStore(own, now), now })(stored);
    } catch {
      // The sweeper does it.
    }
  };

  let deliveries = 0;
  const deliveriesOf = new Map<string, number>();
  const deliver = async ({ slice, handle }: Delivery): Promise<void> => {
    deliveries += 1;
    const delivery = deliveries;
    tallied(deliveriesOf, slice.slice);
    const run = runOf(slice.run);
    const before = await run?.watch.settledPairs();
    const { database: own, now } = newProcess();
    const store = runStore(own, now);
    const calls = random.fork(`calls ${delivery}`).pick([1, 3, 20]);
    const begun = clock.now();
    const [sessions, traces] = [sessionRows(own, now), traceReader(own, now)];
    const asked = judge.of({ delivery, crashed: () => own.crashed, crash: () => own.crash() });
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(own, now),
      settlement: settlement(own, { runs: store, sessions }, now),
      targets: {
        TRACE: traceTargets(asked, traces, now),
        SESSION: sessionTargets({ judge: asked, traces, sessions, scores: signalScores(own), now }),
      },
      judge: asked,
      spending: {
        spend: spendStore(own, now),
        priceOf: () => null,
        leastOf: () => 0,
        ceilings: { project: null, deployment: null },
      },
      calls,
      now,
    });
    try {
      const result = await evaluate(slice, now() + functionMilliseconds - workerReserve);
      if (own.crashed || clock.now() > begun + functionMilliseconds) return;
      own.crash();
      if (result.kind === "over") {
        const deleting = run === undefined || run.deletions > 0;
        const open = deleting ? 0 : await run.watch.openPairs(run.order.sequential ? null : slice.slice);
        broken.expect(open === 0, "I3: a slice was acknowledged with pairs open");
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
      broken.expect(distinct.isDisjointFrom(before ?? new Set()), "I13: a settled pair was judged again");
    }
  };

  /** Scores a trace had when it was deleted: nobody may add to them. */
  const scoredBefore = new Map<string, ReadonlySet<string>>();
  const removeTrace = async (trace: string): Promise<void> => {
    await deleteTrace(database, pool.project, trace);
    scoredBefore.set(trace, new Set(await scoreIdsOf(database, pool.project, "trace", trace)));
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
    const victim = runs.find(
      (run) => run.doomed !== null && run.acked && !run.spared && run.deletedWith === null && run.deletions < 4,
    );
    if (victim !== undefined && chance.chance(0.05)) return begin(remove(victim));
    const deleted = runs.find(({ deletedWith }) => deletedWith !== null);
    if (deleted !== undefined && chance.chance(0.03)) return begin(purgeOnce(deleted));
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
      const seen = await run.watch.look(run.acked, run.deletions > 0);
      run.ended = seen !== null && isTerminal(seen.status);
      if (chance.chance(0.2)) await run.watch.lookAtScores(run.deletions > 0);
    }
  };

  /** Whether a run was deleted and nothing of it is left to remove. */
  const buried = async ({ order }: Tracked): Promise<boolean> => {
    const deletion = runDeletion(database, runStore(database));
    const stored = await deletion.find(order.projectId, order.id);
    if (stored === null) return false;
    for await (const { run } of deletion.list()) if (run === order.id) return false;
    return true;
  };

  /** Nothing is left to happen: every run has ended, or its creation failed and nothing of it is left. */
  const settled = async (): Promise<boolean> => {
    if (runs.every((run) => run.ended)) return true;
    for (const run of runs) if (!run.ended && run.deletions > 0) run.ended = await buried(run);
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
  for (const run of runs) run.spared = true;
  // What is still under way or in the queue must not change a run that has ended.
  for (let steps = 0; steps < 40 && (active.size > 0 || queue.nextVisible() !== null); steps += 1) await step();
  for (let steps = 0; active.size > 0 && steps < 2_000; steps += 1) {
    clock.advance(1_000);
    await Promise.race([...active, wait(1)]);
  }
  broken.expect(active.size === 0, "A worker hangs");

  for (const [trace, before] of scoredBefore) {
    const after = await scoreIdsOf(database, pool.project, "trace", trace);
    broken.expect(
      after.every((id) => before.has(id)),
      "I11: a trace was scored after its deletion",
    );
  }
  let scores = 0;
  for (const run of runs) {
    const deleting = run.deletions > 0;
    const ended = await run.watch.look(run.acked, deleting);
    const found = await run.watch.lookAtScores(deleting);
    scores += found.length;
    if (ended === null && deleting) {
      const left = await everyScoreId(database, run.order);
      broken.expect(await buried(run), "I10: a deleted run is not removed");
      broken.expect(run.doomed === "without" || left.size === 0, "I10: scores of a deleted run are left");
      broken.expect(run.deletedWith === null || left.isSubsetOf(run.deletedWith), "I10: a deleted run was scored");
      continue;
    }
    if (ended === null) {
      const left = await runStore(database).read(pool.project, run.order.id);
      broken.expect(left === null, "I4: a creation that was broken off is left");
      continue;
    }
    broken.expect(run.deletedWith === null, "I10: a run is there after its deletion was acknowledged");
    broken.expect(isTerminal(ended.status), `I3: a run is still ${ended.status}`);
    if (!isTerminal(ended.status)) continue;
    const there = new Set([...pool.traces, ...run.sessions.keys()]);
    const always = new Set(run.targets.map(({ id }) => id).filter((id) => !there.has(id)));
    const perhaps = new Set(run.sessions.size > 0 ? [] : doomed.map(({ trace_id }) => trace_id));
    const gone = { always: always.difference(perhaps), perhaps };
    await checkEnd(database, run, ended, found, gone, broken);
    const stored = await runStore(database).read(pool.project, run.order.id);
    const slices = await runStore(database).slices(pool.project, run.order.id, stored?.attempt ?? "");
    const countOf = (target: string): number =>
      run.order.sequential
        ? [...deliveriesOf.values()].reduce((sum, count) => sum + count, 0)
        : (deliveriesOf.get(slices.find(({ slice }) => slice.targets.includes(target))?.slice.id ?? "") ?? 0);
    if (run.order.targetType === "SESSION") await checkSessions(database, run, found, judge.calls, countOf, broken);
    else checkAnswers(found, judge.calls, countOf, broken);
  }
  return { seed, violations: broken.found, tally, deliveries, judgeCalls: judge.calls.length, scores };
};
