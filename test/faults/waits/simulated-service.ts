import { wholeTargets, type Run, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import type { Sweep } from "../../../lib/evaluation/maintenance/sweep.ts";
import { fairShareTurns } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { rotationStore } from "../../../lib/store/runs/rotations.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { Crash, faultyDatabase } from "../../support/faults/faults.ts";
import { seeded } from "../../support/random.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { settling } from "../../store/runs/run-fixture.ts";
import { sweepOf } from "../../store/monitors/sweep-fixture.ts";
import { paidVerdict } from "../../support/runs/paid-verdict.ts";
import { targetsOf } from "../../store/runs/targets-fixture.ts";
import { noQueueFaults, queueModel, type Delivery, type QueueModel } from "../pipeline/queue-model.ts";
import { sqsEvent } from "../pipeline/sqs-event.ts";
import { virtualClock, type VirtualClock } from "../virtual-clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const functionMilliseconds = 180_000;

/** US dollars: actual cost and reservation of one judgement. */
export const costOfOne = 0.03;

/** A successful judgement with a known cost. */
export const judged: Verdict = {
  kind: "scored",
  value: 0.5,
  reason: "Half.",
  metadata: { attempts: 1, tokens: { prompt: 10, completion: 2, cached: 4 }, cost_usd: costOfOne },
};

/** Settings of a service with a simulated clock. */
export interface SimulationSettings {
  /** Start of the simulation, epoch milliseconds. */
  readonly start: number;
  /** The judge's verdict on a pair; may advance the clock. */
  readonly answer: (trace: string, metric: string) => Promise<Verdict>;
  /** The project's monthly ceiling in US dollars; read at every delivery. */
  readonly monthly?: () => number | null;
  /** Milliseconds by which the clock of the next process is wrong. */
  readonly skew?: () => number;
  /** True if the sweeper runs every minute; otherwise only when work may be due, which tests over months need. */
  readonly everyMinute?: boolean;
  /** Steps between two checks of the awaited condition; checking a long run costs more than a step. */
  readonly stepsBetweenChecks?: number;
}

/** The pipeline over a queue that never counts as empty, with a clock that only the test moves. */
export interface SimulatedService {
  readonly clock: VirtualClock;
  readonly queue: QueueModel;
  /** Number of judgements by pair, `trace metric`. */
  readonly judgedPairs: ReadonlyMap<string, number>;
  /** Delays of the deliveries after their due time, in milliseconds. */
  readonly lateness: readonly number[];
  /** Total number of messages that the sweeps have sent. */
  readonly sentMessages: () => number;
  readonly deliveries: () => number;
  /** Stores new traces and starts a run over them. */
  startRun(targets: number, metrics: readonly string[], fields?: Partial<RunOrder>): Promise<RunOrder>;
  readRun(order: RunOrder): Promise<Run>;
  sweep(): Promise<Sweep>;
  /** Performs the next delivery or sweep. */
  step(): Promise<void>;
  /** Performs steps until a condition holds. @throws Error when it does not hold before an instant. */
  until(fits: () => Promise<boolean>, latest: number): Promise<void>;
  /** Kills the running process. */
  kill(): void;
}

export const simulatedService = (
  database: Database,
  {
    start,
    answer,
    monthly = () => null,
    skew = () => 0,
    everyMinute = false,
    stepsBetweenChecks: stepsBetweenLooks = 1,
  }: SimulationSettings,
): SimulatedService => {
  const clock = virtualClock(start);
  const queue = queueModel(seeded(1), clock.now, () => noQueueFaults, new Map());
  const judgedPairs = new Map<string, number>();
  const lateness: number[] = [];
  const orders: RunOrder[] = [];
  let [lastSweep, sentMessages, deliveries] = [start, 0, 0];
  let kill = (): void => undefined;

  const openSlices = async () => {
    const runs = runStore(database, clock.now);
    const slices = await Promise.all(
      orders.map(async ({ projectId, id }) => {
        const storedRun = await runs.read(projectId, id);
        return storedRun === null ? [] : await runs.slices(projectId, id, storedRun.attempt);
      }),
    );
    return slices.flat().filter(({ slice }) => slice.state === "open");
  };

  const judge = (crashed: () => boolean): Judge => ({
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: (metric, _deadline, budget) =>
        paidVerdict(budget, costOfOne, async () => {
          const pair = `${trace.trace_id} ${metric}`;
          judgedPairs.set(pair, (judgedPairs.get(pair) ?? 0) + 1);
          const verdict = await answer(trace.trace_id, metric);
          if (crashed()) throw new Crash();
          return verdict;
        }),
    }),
  });

  const turnsOf = (connection: Database, now: () => number) =>
    rotationStore(connection, async (project) => `owner of ${project}`, { now });

  const deliver = async (delivery: Delivery): Promise<void> => {
    deliveries += 1;
    const connection = faultyDatabase(database, () => null);
    kill = connection.crash;
    const clockError = skew();
    const now = (): number => clock.now() + clockError;
    const startedAt = clock.now();
    const [store, judgeOfProcess] = [runStore(connection, now), judge(() => connection.crashed)];
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(connection, now),
      settlement: settling(connection, now),
      runInTurn: fairShareTurns({ turns: turnsOf(connection, now), runs: store, now }),
      targets: targetsOf(connection, judgeOfProcess, now),
      judge: judgeOfProcess,
      spending: {
        spend: spendStore(connection, now),
        priceOf: () => ({ input: 1, cached: 1, output: 1, written: 1 }),
        ceilings: { project: monthly(), organization: null, deployment: null },
        organizationOf: async () => null,
      },
      calls: 1,
      now,
    });
    const getRemainingTimeInMillis = (): number => startedAt + functionMilliseconds - clock.now();
    const { project, run, slice } = delivery.slice;
    const before = (await runStore(database).readWith(project, run, slice)).slice;
    const reply = await sliceWorker(evaluate, queue, now)(sqsEvent(delivery), { getRemainingTimeInMillis });
    // A killed function returns nothing; its message is visible again after the time-out.
    if (connection.crashed) return;
    if (reply.batchItemFailures.length === 0) queue.delete(delivery.handle);
    if (
      before === null ||
      before.slice.state !== "open" ||
      before.isLeased ||
      before.until === 0 ||
      before.until > startedAt + 10_000
    )
      return;
    lateness.push(startedAt - before.until);
  };

  const sweep = async (): Promise<Sweep> => {
    lastSweep = clock.now();
    const clockError = skew();
    const result = await sweepOf(database, () => clock.now() + clockError, queue);
    sentMessages += result.sent;
    return result;
  };

  /** Epoch milliseconds of the next useful sweep: without queued messages, when the first slice may be retried. */
  const nextSweep = async (): Promise<number> => {
    if (everyMinute) return lastSweep + minute;
    if (queue.nextVisible() !== null) return lastSweep + hour;
    const untils = (await openSlices()).map(({ until }) => until).filter((until) => until > clock.now());
    return Math.max(lastSweep + minute, Math.ceil(Math.min(...untils, clock.now() + hour) / minute) * minute);
  };

  const step = async (): Promise<void> => {
    const received = queue.receive();
    if (received !== null) return await deliver(received);
    const [message, sweeping] = [queue.nextVisible() ?? Number.POSITIVE_INFINITY, await nextSweep()];
    clock.advance(Math.max(1, Math.min(message, sweeping) - clock.now()));
    if (clock.now() >= sweeping) await sweep();
  };

  const readRun = async ({ projectId, id }: RunOrder): Promise<Run> => {
    const run = await runStore(database, clock.now).get(projectId, id);
    if (run === null) throw new Error("The run is gone.");
    return run;
  };

  return {
    clock,
    queue,
    judgedPairs: judgedPairs,
    lateness,
    sentMessages: () => sentMessages,
    deliveries: () => deliveries,
    startRun: async (targets, metrics, fields = {}) => {
      const createdAt = instantAt(clock.now());
      const order = someOrder({ metrics, total: targets, resolvedModel: "scripted/judge", createdAt, ...fields });
      const traces = Array.from({ length: targets }, () => someTrace());
      await saveTraces(database, order.projectId, traces);
      await runCreation(database, clock.now)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
      orders.push(order);
      const runs = runStore(database, clock.now);
      const storedRun = await runs.read(order.projectId, order.id);
      if (storedRun !== null) await dispatch(storedRun, { runs, queue, turns: turnsOf(database, clock.now) });
      return order;
    },
    readRun: readRun,
    sweep,
    step,
    until: async (fits, latest) => {
      while (!(await fits())) {
        if (clock.now() > latest) throw new Error(`It does not come to pass before ${new Date(latest).toISOString()}.`);
        for (let steps = 0; steps < stepsBetweenLooks; steps += 1) await step();
      }
    },
    kill: () => kill(),
  };
};
