import { wholeTargets, type Run, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import type { Sweep } from "../../../lib/evaluation/upkeep/sweep.ts";
import { inTurnOfProjects } from "../../../lib/evaluation/slices/turns.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { Database } from "../../../lib/store/database.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { turnStore } from "../../../lib/store/runs/turns.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { Crash, faultyDatabase } from "../../support/faults/faults.ts";
import { seeded } from "../../support/random.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { settling } from "../../store/runs/run-fixture.ts";
import { sweepOf } from "../../store/monitors/sweep-fixture.ts";
import { paidFrom } from "../../support/runs/paid-from.ts";
import { targetsOf } from "../../store/runs/targets-fixture.ts";
import { noQueueFaults, queueModel, type Delivery, type QueueModel } from "../pipeline/queue-model.ts";
import { sqsEvent } from "../pipeline/sqs-event.ts";
import { virtualClock, type VirtualClock } from "../virtual-clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const functionMilliseconds = 180_000;

/** What a judgement costs, and what is set aside for one, in US dollars. */
export const costOfOne = 0.03;

/** A judgement whose cost is known. */
export const judged: Verdict = {
  kind: "scored",
  value: 0.5,
  reason: "Half.",
  metadata: { attempts: 1, tokens: { prompt: 10, completion: 2, cached: 4 }, cost_usd: costOfOne },
};

/** What a service is like whose clock a test moves. */
export interface Circumstances {
  /** Epoch milliseconds. */
  readonly start: number;
  /** What the judge says of a pair; it may let time pass. */
  readonly answer: (trace: string, metric: string) => Promise<Verdict>;
  /** US dollars a month for the project; read at every delivery. */
  readonly monthly?: () => number | null;
  /** Milliseconds by which the clock of the next process is wrong. */
  readonly skew?: () => number;
  /** Whether the sweeper comes every minute, or only when something may be due: a test of months has no time for more. */
  readonly everyMinute?: boolean;
  /** Steps between two looks at what a test waits for; a long run costs more to look at than to go on with. */
  readonly stepsBetweenLooks?: number;
}

/** The pipeline over a queue that is never empty, with a clock that only a test moves. */
export interface MovedService {
  readonly clock: VirtualClock;
  readonly queue: QueueModel;
  /** How often each pair was asked for, `trace metric`. */
  readonly asked: ReadonlyMap<string, number>;
  /** How late each wait was over, in milliseconds. */
  readonly lateness: readonly number[];
  /** What the sweeps did together. */
  readonly sent: () => number;
  readonly deliveries: () => number;
  /** Starts a run over traces that are stored for it. */
  begin(targets: number, metrics: readonly string[], given?: Partial<RunOrder>): Promise<RunOrder>;
  look(order: RunOrder): Promise<Run>;
  sweep(): Promise<Sweep>;
  /** Does the next thing that happens. */
  step(): Promise<void>;
  /** Lets things happen until something fits. @throws when it does not before an instant. */
  until(fits: () => Promise<boolean>, latest: number): Promise<void>;
  /** Kills the process that is at work. */
  kill(): void;
}

export const movedService = (
  database: Database,
  { start, answer, monthly = () => null, skew = () => 0, everyMinute = false, stepsBetweenLooks = 1 }: Circumstances,
): MovedService => {
  const clock = virtualClock(start);
  const queue = queueModel(seeded(1), clock.now, () => noQueueFaults, new Map());
  const asked = new Map<string, number>();
  const lateness: number[] = [];
  const orders: RunOrder[] = [];
  let [lastSweep, sent, deliveries] = [start, 0, 0];
  let kill = (): void => undefined;

  const openSlices = async () => {
    const runs = runStore(database, clock.now);
    const found = await Promise.all(
      orders.map(async ({ projectId, id }) => {
        const stored = await runs.read(projectId, id);
        return stored === null ? [] : await runs.slices(projectId, id, stored.attempt);
      }),
    );
    return found.flat().filter(({ slice }) => slice.state === "open");
  };

  const judge = (crashed: () => boolean): Judge => ({
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({
      score: (metric, _deadline, purse) =>
        paidFrom(purse, costOfOne, async () => {
          const pair = `${trace.trace_id} ${metric}`;
          asked.set(pair, (asked.get(pair) ?? 0) + 1);
          const verdict = await answer(trace.trace_id, metric);
          if (crashed()) throw new Crash();
          return verdict;
        }),
    }),
  });

  const deliver = async (delivery: Delivery): Promise<void> => {
    deliveries += 1;
    const own = faultyDatabase(database, () => null);
    kill = own.crash;
    const wrong = skew();
    const now = (): number => clock.now() + wrong;
    const begun = clock.now();
    const [store, asking] = [runStore(own, now), judge(() => own.crashed)];
    const evaluate = sliceEvaluation({
      runs: store,
      slices: sliceStore(own, now),
      settlement: settling(own, now),
      inTurn: inTurnOfProjects({ turns: turnStore(own, now), runs: store, now }),
      targets: targetsOf(own, asking, now),
      judge: asking,
      spending: {
        spend: spendStore(own, now),
        priceOf: () => ({ input: 1, cached: 1, output: 1, written: 1 }),
        ceilings: { project: monthly(), organization: null, deployment: null },
        organizationOf: async () => null,
      },
      calls: 1,
      now,
    });
    const getRemainingTimeInMillis = (): number => begun + functionMilliseconds - clock.now();
    const { project, run, slice } = delivery.slice;
    const before = (await runStore(database).readWith(project, run, slice)).slice;
    const reply = await sliceWorker(evaluate, queue, now)(sqsEvent(delivery), { getRemainingTimeInMillis });
    // A function that was killed answers nothing: its message is shown again when its visibility ends.
    if (own.crashed) return;
    if (reply.batchItemFailures.length === 0) queue.delete(delivery.handle);
    if (
      before === null ||
      before.slice.state !== "open" ||
      before.held ||
      before.until === 0 ||
      before.until > begun + 10_000
    )
      return;
    lateness.push(begun - before.until);
  };

  const sweep = async (): Promise<Sweep> => {
    lastSweep = clock.now();
    const wrong = skew();
    const done = await sweepOf(database, () => clock.now() + wrong, queue);
    sent += done.sent;
    return done;
  };

  /** When a sweep may find something to do: where no message is, when the first slice may be tried again. */
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

  const look = async ({ projectId, id }: RunOrder): Promise<Run> => {
    const run = await runStore(database, clock.now).get(projectId, id);
    if (run === null) throw new Error("The run is gone.");
    return run;
  };

  return {
    clock,
    queue,
    asked,
    lateness,
    sent: () => sent,
    deliveries: () => deliveries,
    begin: async (targets, metrics, given = {}) => {
      const createdAt = instantAt(clock.now());
      const order = someOrder({ metrics, total: targets, resolvedModel: "scripted/judge", createdAt, ...given });
      const traces = Array.from({ length: targets }, () => someTrace());
      for (const trace of traces) await traceStore(database, 0).save(order.projectId, trace);
      await runCreation(database, clock.now)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
      orders.push(order);
      const runs = runStore(database, clock.now);
      const stored = await runs.read(order.projectId, order.id);
      if (stored !== null) await dispatch(stored, runs, queue);
      return order;
    },
    look,
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
