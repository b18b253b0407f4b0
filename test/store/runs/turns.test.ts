import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { wholeTargets, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { dispatch } from "../../../lib/evaluation/start/dispatch.ts";
import { sliceWorker } from "../../../lib/evaluation/slice-worker.ts";
import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import { inTurnOfProjects, type InTurn } from "../../../lib/evaluation/slices/turns.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { JudgeQueue } from "../../../lib/queue/judge-queue.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { batchWrite } from "../../../lib/store/batch-write.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { turnStore } from "../../../lib/store/runs/turns.ts";
import { virtualClock } from "../../faults/virtual-clock.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { alone } from "../../support/runs/alone.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { withoutCeilings } from "../../support/runs/without-ceilings.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { sqsEvent } from "../../faults/pipeline/sqs-event.ts";
import { settling } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

const workers = 5;
const start = Date.parse("2026-11-22T09:00:00Z");
const secondsOfCall = 2;

let database: TestDatabase;
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterAll(() => vi.restoreAllMocks());

/** A queue that gives out first what has been visible longest. */
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
    showAgain: async (handle, seconds) => {
      const message = messages.find((one) => one.handle === handle);
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
      messages = messages.filter((one) => one.handle !== handle);
    },
  };
};

/** Five judges, each of which asks one question at a time, on a clock that moves when all of them wait for an answer. */
const service = (turns: "ours" | "none") => {
  const clock = virtualClock(start);
  const { queue, receive, remove } = firstInFirstOut(clock.now);
  const begun = new Map<string, number>();
  let waiting = 0;
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ runId }) => ({
      score: async () => {
        if (!begun.has(runId)) begun.set(runId, clock.now());
        waiting += 1;
        await clock.sleep(secondsOfCall * 1000);
        waiting -= 1;
        return { kind: "scored", value: 0.5, reason: "Half.", metadata: {} };
      },
    }),
  };
  const runs = runStore(database, clock.now);
  const ofWorker = (): InTurn =>
    turns === "none" ? alone : inTurnOfProjects({ turns: turnStore(database, clock.now), runs, now: clock.now });
  const lanes = Array.from({ length: workers }, () =>
    sliceEvaluation({
      runs,
      slices: sliceStore(database, clock.now),
      settlement: settling(database, clock.now),
      inTurn: ofWorker(),
      targets: targetsOf(database, judge, clock.now),
      judge,
      spending: withoutCeilings(database, clock.now),
      calls: 1,
      now: clock.now,
    }),
  );
  const free = [...lanes];

  const work = async (evaluate: (typeof lanes)[number], delivery: NonNullable<ReturnType<typeof receive>>) => {
    const deadline = clock.now() + 180_000;
    const getRemainingTimeInMillis = (): number => deadline - clock.now();
    const reply = await sliceWorker(evaluate, queue, clock.now)(sqsEvent(delivery), { getRemainingTimeInMillis });
    if (reply.batchItemFailures.length === 0) remove(delivery.handle);
    free.push(evaluate);
  };

  return {
    clock,
    begun,
    begin: async (targets: number, given: Partial<RunOrder> = {}): Promise<RunOrder> => {
      const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);
      const createdAt = instantAt(clock.now());
      const order = someOrder({ metrics, total: targets, resolvedModel: "scripted/judge", createdAt, ...given });
      const traces = Array.from({ length: targets }, () => someTrace());
      await Promise.all(traces.map((trace) => traceStore(database, 0).save(order.projectId, trace)));
      await runCreation(database, clock.now)(order, wholeTargets(traces.map(({ trace_id }) => trace_id)));
      const stored = await runStore(database).read(order.projectId, order.id);
      if (stored === null) throw new Error("The run is stored.");
      await dispatch(stored, runStore(database), queue);
      return order;
    },
    until: async (fits: () => boolean | Promise<boolean>, seconds: number): Promise<void> => {
      const latest = clock.now() + seconds * 1000;
      while (!(await fits()) && clock.now() < latest) {
        const delivery = free.length > 0 ? receive() : null;
        const evaluate = delivery === null ? undefined : free.pop();
        if (delivery !== null && evaluate !== undefined) {
          void work(evaluate, delivery);
        } else {
          if (waiting === workers - free.length) clock.advance(250);
          await wait(1);
        }
      }
    },
    /** Lets everything that was begun end. */
    drain: async (): Promise<void> => {
      while (free.length < workers) {
        clock.advance(250);
        await wait(1);
      }
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
])("a small run beside $neighbour begins within seconds, and ends", async ({ large }) => {
  database = await startDatabase();
  const project = someOrder().projectId;
  const lived = async (turns: "ours" | "none") => {
    const { clock, begun, begin, until, drain } = service(turns);
    for (const { targets, ...given } of large) await begin(targets, { projectId: project, ...given });
    await until(() => false, 60);
    const arrivedAt = clock.now();
    const small = await begin(1, { metrics: ["one", "two"] });
    const ended = async () => (await runStore(database).get(small.projectId, small.id))?.status === "COMPLETED";
    await until(ended, turns === "none" ? 30 : 120);
    const done = { begun: secondsUntil(begun.get(small.id), arrivedAt), completed: await ended() };
    await drain();
    return done;
  };

  const without = await lived("none");
  const ours = await lived("ours");
  await database.close();

  expect(without.begun).toBeGreaterThan(25);
  expect(ours.begun).toBeLessThan(25);
  expect(ours.completed).toBe(true);
});

test("a project is seen behind hundreds of open runs of another", async () => {
  database = await startDatabase();
  const [crowd, small] = [someOrder().projectId, someOrder().projectId];
  const open = (project: string, run: string, at: string) => ({
    PutRequest: {
      Item: { pk: `${project}#run#${run}`, sk: "run", open_key: "open", order_key: `${at}#${run}` },
    },
  });
  const runs = Array.from({ length: 900 }, (_, number) =>
    open(crowd, `run-${number}`, instantAt(start + 1_000 * number)),
  );
  await batchWrite(database, "runs", [...runs, open(small, "newest", instantAt(start + 2_000_000))]);

  const seen = await turnStore(database).open();
  await database.close();

  expect(seen.map(({ project }) => project)).toEqual([crowd, small]);
});
