import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunOrder } from "../../../../lib/domain/runs/run.ts";
import { runStore } from "../../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../../lib/store/spend/spend.ts";
import type { Verdict } from "../../../../lib/judge/verdict/verdict.ts";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { costOfOne, judged, simulatedService, type SimulatedService } from "../../waits/simulated-service.ts";

let database: TestDatabase;
beforeEach(async () => {
  // Workers log every delivery.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  // A database per test, as a sweep sees all open runs.
  database = await startDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
});

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const start = Date.parse("2026-10-01T00:00:30Z");

const unavailable: Verdict = {
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The provider is away.",
  retryAfter: null,
  metadata: {},
};

const hasEnded = (service: SimulatedService, order: RunOrder) => async (): Promise<boolean> =>
  (await service.readRun(order)).completedAt !== null;

/** Asserts that each pair was judged exactly once, and that no message was received too often or grew too old. */
const expectHealthy = async (service: SimulatedService, order: RunOrder): Promise<void> => {
  const run = await service.readRun(order);
  const pairs = order.total * order.metrics.length;

  expect(run).toMatchObject({ status: "COMPLETED", scored: pairs, failed: 0 });
  expect([...service.judgedPairs.values()].filter((count) => count !== 1)).toEqual([]);
  expect(service.judgedPairs.size).toBe(pairs);
  expect(service.queue.dead).toEqual([]);
  expect(service.queue.expired).toEqual([]);
};

const latest = (service: SimulatedService): number => Math.max(0, ...service.lateness);

test("a run waits for its project's ceiling without a message and continues when the next month begins", async () => {
  const november = Date.parse("2026-11-01T00:00:00Z");
  const service = simulatedService(database, {
    start: november - 8 * hour + 30 * second,
    answer: async () => judged,
    monthly: () => 2 * costOfOne,
  });
  const order = await service.startRun(3, ["a"]);

  const isLeftAlone = async (): Promise<boolean> =>
    service.clock.now() > november - 4 * hour && service.queue.nextVisible() === null;
  await service.until(isLeftAlone, november);
  const waiting = await service.readRun(order);
  await service.until(hasEnded(service, order), november + 10 * minute);

  expect(waiting).toMatchObject({ status: "RUNNING", scored: 2, waitingFor: expect.stringContaining("October 2026") });
  expect(service.clock.now()).toBeGreaterThanOrEqual(november);
  expect(service.clock.now()).toBeLessThan(november + 2 * minute);
  expect(latest(service)).toBeLessThanOrEqual(2 * minute);
  await expectHealthy(service, order);
});

test("a raised ceiling is noticed within an hour, and released reservations within five minutes at first", async () => {
  let ceiling = 2 * costOfOne;
  const service = simulatedService(database, { start, answer: async () => judged, monthly: () => ceiling });
  const order = await service.startRun(3, ["a"]);

  await service.until(async () => service.clock.now() > start + 5 * hour, start + 6 * hour);
  ceiling = 3 * costOfOne;
  const raised = service.clock.now();
  await service.until(hasEnded(service, order), start + day);

  expect(service.clock.now() - raised).toBeLessThanOrEqual(hour + 2 * minute);
  await expectHealthy(service, order);
});

test("a run waits for its own ceiling while another worker holds the remaining budget", async () => {
  const service = simulatedService(database, { start, answer: async () => judged });
  const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);
  const order = await service.startRun(2, metrics, { maxCostUsd: 100 * costOfOne });
  const storedRun = await runStore(database).read(order.projectId, order.id);
  const [first] = await runStore(database).slices(order.projectId, order.id, storedRun?.attempt ?? "");
  // A lease of five hours, as if it were continually renewed.
  const slices = sliceStore(database, () => service.clock.now() + 5 * hour);
  const spend = spendStore(database, service.clock.now);
  const claim = await slices.claim(order.projectId, order.id, first?.slice.id ?? "");
  if (claim.kind !== "claimed") throw new Error("The slice is not to be had.");
  const delivery = { project: order.projectId, run: order.id, slice: claim.slice.slice.id, epoch: claim.slice.epoch };
  const fullBudget = order.maxCostUsd ?? 0;
  const ceilings = { run: fullBudget, project: null, organization: null, deployment: null };
  await spend.reserve({ ...delivery, spent: 0, maxUsd: fullBudget, minUsd: costOfOne, ceilings });

  await service.until(async () => service.clock.now() > start + 4.9 * hour, start + 6 * hour);
  const waiting = await service.readRun(order);
  await spend.settle(delivery, 0);
  await service.until(hasEnded(service, order), service.clock.now() + 2 * hour);

  expect(waiting.waitingFor).toContain("max_cost_usd");
  expect(service.deliveries()).toBeLessThan(100);
  expect(latest(service)).toBeLessThanOrEqual(2 * minute);
  await expectHealthy(service, order);
});

const agedMessages = [
  { how: "received often", receives: 490, milliseconds: 0 },
  { how: "sent long ago", receives: 10, milliseconds: 10 * day - 5 * minute },
];

test.each(agedMessages)(
  "the message of a strictly sequential run is given up when it was $how, and the sweeper sends a new one",
  async ({ receives, milliseconds }) => {
    const service: SimulatedService = simulatedService(database, {
      start,
      answer: async () => {
        service.clock.advance(110 * second);
        return judged;
      },
    });
    const order = await service.startRun(20, ["a"], { sequential: true });
    service.queue.age(receives, milliseconds);

    await service.until(hasEnded(service, order), start + 2 * hour);

    expect(service.sentMessages()).toBe(1);
    expect(service.queue.maxReceives()).toBeLessThan(500);
    expect(service.clock.now() - start).toBeLessThan(20 * 112 * second + 10 * minute);
    await expectHealthy(service, order);
  },
);

test("a run waits for a provider that is unavailable for 23 hours, without a message during waits of more than five minutes", async () => {
  const back = start + 23 * hour;
  let tries = 0;
  const service: SimulatedService = simulatedService(database, {
    start,
    answer: async () => {
      if (service.clock.now() >= back) return judged;
      tries += 1;
      return unavailable;
    },
  });
  const order = await service.startRun(1, ["a"]);

  await service.until(async () => service.clock.now() > start + 2 * hour && service.queue.nextVisible() === null, back);
  const waiting = await service.readRun(order);
  await service.until(hasEnded(service, order), back + hour);

  expect(waiting.waitingFor).toBe("The provider is away.");
  expect(latest(service)).toBeLessThanOrEqual(2 * minute);
  expect(await service.readRun(order)).toMatchObject({ status: "COMPLETED", scored: 1 });
  expect(tries).toBeGreaterThan(80);
  expect(service.clock.now() - back).toBeLessThan(20 * minute);
  expect(service.queue.dead).toEqual([]);
});

test("a slice whose message was lost in a queue that is never empty is sent again", async () => {
  const service = simulatedService(database, { start, answer: async () => judged });
  const order = await service.startRun(1, ["a"]);

  const lost = service.queue.lose();
  for (let sweeps = 0; sweeps < 168 && service.queue.nextVisible() === null; sweeps += 1) {
    service.clock.advance(hour);
    await service.sweep();
  }
  await service.until(hasEnded(service, order), service.clock.now() + minute);

  expect(lost).toBe(1);
  expect(service.clock.now() - start).toBeLessThan(2 * hour);
  await expectHealthy(service, order);
});

test("a slice that waits in a long queue is sent again at growing intervals, and the duplicates judge nothing", async () => {
  const service = simulatedService(database, { start, answer: async () => judged });
  const order = await service.startRun(1, ["a"]);

  const sendings: number[] = [];
  // No message is received for 17 hours.
  for (let at = 10; at <= 17 * 60; at += 10) {
    service.clock.advance(10 * minute);
    if ((await service.sweep()).sent > 0) sendings.push(at);
  }
  const { deliveries } = service;
  await service.until(async () => service.queue.nextVisible() === null, service.clock.now() + hour);

  const pauses = sendings.map((at, index) => at - (sendings[index - 1] ?? 0));
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 360]);
  expect(deliveries()).toBe(1 + sendings.length);
  await expectHealthy(service, order);
});

test("a copy that a deleted message leaves for four days judges nothing, in any state of its run", async () => {
  const november = Date.parse("2026-11-01T00:00:00Z");
  const startedAt = november - 4 * day - 6 * hour;
  const service = simulatedService(database, {
    start: startedAt,
    answer: async () => judged,
    monthly: () => 2 * costOfOne,
  });
  const order = await service.startRun(3, ["a"]);
  const storedRun = await runStore(database).read(order.projectId, order.id);
  const [only] = await runStore(database).slices(order.projectId, order.id, storedRun?.attempt ?? "");
  const message = { project: order.projectId, run: order.id, slice: only?.slice.id ?? "" };
  const lookIn = async (at: number): Promise<void> => {
    await service.until(async () => service.clock.now() >= at && service.queue.nextVisible() === null, at + hour);
    await service.queue.send([message]);
    await service.step();
  };

  await lookIn(startedAt + 5 * minute);
  await lookIn(startedAt + 4 * day);
  const waiting = await service.readRun(order);
  await service.until(hasEnded(service, order), november + 10 * minute);
  await lookIn(service.clock.now() + minute);

  expect(waiting).toMatchObject({ status: "RUNNING", scored: 2 });
  expect(service.queue.nextVisible()).toBeNull();
  await expectHealthy(service, order);
});

test("a slice whose worker is killed at its time-out continues with the unsettled pairs", async () => {
  let calls = 0;
  const service: SimulatedService = simulatedService(database, {
    start,
    everyMinute: true,
    answer: async () => {
      calls += 1;
      if (calls === 3) {
        service.clock.advance(180 * second);
        service.kill();
      }
      return judged;
    },
  });
  const order = await service.startRun(4, ["a"]);

  await service.until(hasEnded(service, order), start + hour);

  expect(await service.readRun(order)).toMatchObject({ status: "COMPLETED", scored: 4, failed: 0 });
  expect(service.clock.now() - start).toBeLessThan(180 * second + 40 * second + 2 * minute);
  expect(calls).toBeGreaterThan(4);
  expect(service.queue.dead).toEqual([]);
});

test("clocks that differ by five seconds lose nothing and judge nothing twice", async () => {
  let turn = 0;
  const back = start + 3 * hour;
  const service: SimulatedService = simulatedService(database, {
    start,
    everyMinute: true,
    skew: () => [5 * second, -5 * second, 0][(turn += 1) % 3] ?? 0,
    answer: async () => (service.clock.now() < back ? unavailable : judged),
  });
  const order = await service.startRun(2, ["a"]);

  await service.until(hasEnded(service, order), back + hour);

  expect(await service.readRun(order)).toMatchObject({ status: "COMPLETED", scored: 2, failed: 0 });
  expect(latest(service)).toBeLessThanOrEqual(2 * minute);
  expect(service.clock.now() - back).toBeLessThan(20 * minute);
  expect(service.queue.dead).toEqual([]);
});
