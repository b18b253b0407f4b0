import { setImmediate as nextMacrotask } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { wholeTargets, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { fairShareTurns, type RunInTurn } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { rotationStore } from "../../../lib/store/runs/rotations.ts";
import { virtualClock } from "../../faults/virtual-clock.ts";
import { someUuid } from "../../model/generator/values.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { sqsEvent } from "../../faults/pipeline/sqs-event.ts";
import { settling } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

const workers = 5;
const start = Date.parse("2026-11-22T09:00:00Z");
const secondsOfCall = 2;

/** A model whose calls end with a time-out, and the seconds after which they do. */
const [silentModel, secondsOfTimeout] = ["scripted/silent", 30];

const unanswered: Verdict = {
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The model did not answer.",
  retryAfter: null,
  metadata: { model: silentModel },
};

let database: TestDatabase;
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  // Retries of lost races wait for no time, which would be real time.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterAll(() => vi.restoreAllMocks());

/** A queue that delivers the message that has been visible longest. */
const firstInFirstOut = (now: () => number) => {
  let messages: { slice: SliceMessage; visibleAt: number; receives: number; handle: string }[] = [];
  let last = 0;
  const queue: JudgeQueue = {
    send: async (slices) => {
      for (const slice of slices) {
        last += 1;
        messages.push({ slice, visibleAt: now(), receives: 0, handle: String(last) });
      }
    },
    delayMessage: async (handle, seconds) => {
      const message = messages.find((candidate) => candidate.handle === handle);
      if (message !== undefined) message.visibleAt = now() + Math.max(0, seconds) * 1000;
    },
  };
  return {
    queue,
    receive: () => {
      const [first] = messages.filter(({ visibleAt }) => visibleAt <= now()).sort((a, b) => a.visibleAt - b.visibleAt);
      if (first === undefined) return null;
      first.visibleAt = now() + 200_000;
      first.receives += 1;
      return { slice: first.slice, receives: first.receives, sentAt: start, handle: first.handle };
    },
    remove: (handle: string) => {
      messages = messages.filter((message) => message.handle !== handle);
    },
  };
};

/**
 * Sends the requests of a database one at a time, so that workers that continue at the same instant always do so in the same
 * order. Returns a function that waits until no request is under way and none follows.
 */
const inOrder = ({ client }: TestDatabase) => {
  let lastReply: Promise<unknown> = Promise.resolve();
  client.middlewareStack.add(
    (send) => (args) => {
      const reply = lastReply.then(() => send(args));
      lastReply = reply.catch(() => undefined);
      return reply;
    },
    { step: "initialize", name: "inOrder", override: true },
  );
  return async (): Promise<void> => {
    for (let reply; reply !== lastReply; await nextMacrotask()) {
      reply = lastReply;
      await reply;
    }
  };
};

/**
 * Five judge workers with one call at a time each, on a clock that advances when all of them wait for it. The timers that renew
 * leases and commit outcomes are on this clock too: otherwise a worker loses its slice while it works on it.
 */
const service = (turns: "ours" | "none") => {
  const clock = virtualClock(start);
  const random = seeded(1).fork(turns);
  const requestsEnd = inOrder(database);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const advance = async (): Promise<void> => {
    clock.advance(250);
    vi.advanceTimersByTime(250);
    await requestsEnd();
  };
  const { queue, receive, remove } = firstInFirstOut(clock.now);
  const startTimes = new Map<string, number>();
  const silentRuns = new Set<string>();
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ runId }) => ({
      score: async () => {
        if (!startTimes.has(runId)) startTimes.set(runId, clock.now());
        await clock.sleep((silentRuns.has(runId) ? secondsOfTimeout : secondsOfCall) * 1000);
        if (silentRuns.has(runId)) return unanswered;
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  const runs = runStore(database, clock.now);
  const fairTurns = rotationStore(database, async (project) => `owner of ${project}`, { now: clock.now });
  const ofWorker = (): RunInTurn =>
    turns === "none"
      ? withoutFairShare
      : fairShareTurns({ turns: fairTurns, runs, now: clock.now, random: random.next });
  const workerFunctions = Array.from({ length: workers }, () =>
    sliceEvaluation({
      runs,
      slices: sliceStore(database, clock.now),
      settlement: settling(database, clock.now),
      runInTurn: ofWorker(),
      targets: targetsOf(database, judge, clock.now),
      judge,
      spending: withoutCeilings(database, clock.now),
      calls: 1,
      now: clock.now,
    }),
  );
  const idleWorkers = [...workerFunctions];

  const work = async (
    evaluate: (typeof workerFunctions)[number],
    delivery: NonNullable<ReturnType<typeof receive>>,
  ) => {
    const deadline = clock.now() + 180_000;
    const getRemainingTimeInMillis = (): number => deadline - clock.now();
    const reply = await sliceWorker(evaluate, queue, clock.now)(sqsEvent(delivery), { getRemainingTimeInMillis });
    if (reply.batchItemFailures.length === 0) remove(delivery.handle);
    idleWorkers.push(evaluate);
  };

  return {
    clock,
    startTimes,
    begin: async (targets: number, overrides: Partial<RunOrder> = {}): Promise<RunOrder> => {
      const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);
      const createdAt = instantAt(clock.now());
      const ids = { id: someUuid(random), projectId: someUuid(random) };
      const order = someOrder({
        ...ids,
        metrics,
        total: targets,
        resolvedModel: "scripted/judge",
        createdAt,
        ...overrides,
      });
      if (order.resolvedModel === silentModel) silentRuns.add(order.id);
      const traces = Array.from({ length: targets }, () => someTrace());
      await saveTraces(database, order.projectId, traces);
      await runCreation(database, clock.now)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
      const runRecord = await runStore(database).read(order.projectId, order.id);
      if (runRecord === null) throw new Error("The run was not stored.");
      await dispatch(runRecord, { runs, queue, turns: fairTurns });
      return order;
    },
    until: async (fits: () => boolean | Promise<boolean>, seconds: number): Promise<void> => {
      const latest = clock.now() + seconds * 1000;
      while (!(await fits()) && clock.now() < latest) {
        const delivery = idleWorkers.length > 0 ? receive() : null;
        const evaluate = delivery === null ? undefined : idleWorkers.pop();
        if (delivery !== null && evaluate !== undefined) {
          void work(evaluate, delivery);
          await requestsEnd();
        } else await advance();
      }
    },
    /** Waits until all workers are idle. */
    drain: async (): Promise<void> => {
      while (idleWorkers.length < workers) await advance();
    },
  };
};

const secondsUntil = (at: number | undefined, from: number): number => ((at ?? Number.POSITIVE_INFINITY) - from) / 1000;

test.each([
  { neighbour: "a run of many slices", large: [{ targets: 50 }] },
  {
    neighbour: "five runs of one judgement after the other",
    large: Array.from({ length: 5 }, () => ({ targets: 10, sequential: true })),
  },
])("a small run beside $neighbour starts within seconds, and completes", async ({ large }) => {
  database = await startDatabase();
  const project = someUuid(seeded(2));
  const runScenario = async (turns: "ours" | "none") => {
    const { clock, startTimes, begin, until, drain } = service(turns);
    for (const { targets, ...overrides } of large) await begin(targets, { projectId: project, ...overrides });
    await until(() => false, 60);
    const arrivedAt = clock.now();
    const small = await begin(1, { metrics: ["one", "two"] });
    const isCompleted = async () => (await runStore(database).get(small.projectId, small.id))?.status === "COMPLETED";
    await until(isCompleted, turns === "none" ? 30 : 120);
    const result = {
      secondsToStart: secondsUntil(startTimes.get(small.id), arrivedAt),
      completed: await isCompleted(),
    };
    await drain();
    return result;
  };

  const withoutTurns = await runScenario("none");
  const withTurns = await runScenario("ours");
  await database.close();

  expect(withoutTurns.secondsToStart).toBeGreaterThan(25);
  expect(withTurns.secondsToStart).toBeLessThan(25);
  expect(withTurns.completed).toBe(true);
});

test.each([{ place: "the same project" }, { place: "another project" }])(
  "many runs of $place whose judge does not answer hold up a run with a good judge by their calls under way",
  async ({ place }) => {
    database = await startDatabase();
    const { clock, begin, until, drain } = service("ours");
    const projectId = someUuid(seeded(2));
    for (let index = 0; index < 20; index += 1) await begin(10, { projectId, resolvedModel: silentModel });
    await until(() => false, 60);
    const arrivedAt = clock.now();
    const good = await begin(workers, place === "the same project" ? { projectId } : {});
    const isCompleted = async () => (await runStore(database).get(good.projectId, good.id))?.status === "COMPLETED";
    await until(isCompleted, 600);
    const seconds = secondsUntil(clock.now(), arrivedAt);
    await drain();
    await database.close();

    // The call under way, one delivery of three calls for which each worker tries the model again, one slice for each worker, and
    // half a minute for pauses. Without the workers' memory of the model's silence the run is not done after an hour.
    expect(seconds).toBeLessThanOrEqual(4 * secondsOfTimeout + 50 * secondsOfCall + 30);
  },
);
