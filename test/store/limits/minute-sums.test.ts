import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { minuteSums } from "../../../lib/store/limits/minute-sums.ts";
import { inTurn } from "../../support/in-turn.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T12:00:10Z");

/** Processes that share one simulated clock and add to a new key. */
const setUp = (count: number) => {
  const clock = { at: start };
  const key = randomUUID();
  const processes = Array.from({ length: count }, () => minuteSums(database, () => clock.at));
  return { clock, key, processes };
};

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Sends `count` requests of weight 1 to a process. @returns the number that stays within the limit. */
const countAdmitted = async (sums: ReturnType<typeof minuteSums>, key: string, count: number, limit: number) => {
  const totals = await inTurn(times(count), async () => (await sums.add(key, 1, limit)).total);
  return totals.filter((each) => each <= limit).length;
};

test("a single process admits exactly the limit, and starts again with the next minute", async () => {
  const { clock, key, processes } = setUp(1);
  const [firstProcess = minuteSums(database)] = processes;

  expect(await countAdmitted(firstProcess, key, 1_300, 1_000)).toBe(1_000);
  expect(firstProcess.current(key).seconds).toBe(50);
  clock.at = Date.parse("2026-10-01T12:01:00Z");
  expect(await countAdmitted(firstProcess, key, 100, 1_000)).toBe(100);
});

test("many processes never refuse below the limit, and exceed it by at most one block per process", async () => {
  const { key, processes } = setUp(8);
  const [limit, block] = [1_000, 10];

  const admittedCounts = await Promise.all(processes.map((sums) => countAdmitted(sums, key, 200, limit)));
  const sum = admittedCounts.reduce((total, each) => total + each, 0);

  expect(sum).toBeGreaterThanOrEqual(limit);
  expect(sum).toBeLessThanOrEqual(limit + processes.length * block);
});

test("reservations of many processes at once exceed the limit by less than one, and corrections make room again", async () => {
  const { key, processes } = setUp(8);

  const reservations = await Promise.all(processes.map((sums) => sums.reserve(key, 400, 1_000)));
  const admitted = reservations.filter(({ isAdmitted }) => isAdmitted);
  const refusedProcess =
    processes.find((_, index) => reservations[index]?.isAdmitted === false) ?? minuteSums(database);
  await inTurn(admitted, ({ correct }) => correct(50));
  const later = await refusedProcess.reserve(key, 400, 1_000);

  expect(admitted).toHaveLength(3);
  expect(later.isAdmitted).toBe(true);
  expect(refusedProcess.current(key).total).toBe(3 * 50 + 400);
});

test("a correction after the minute adds to the next one what was not reserved, and takes nothing from it", async () => {
  const { clock, key, processes } = setUp(1);
  const [sums = minuteSums(database)] = processes;

  const [cheap, costly] = [await sums.reserve(key, 400, 10_000), await sums.reserve(key, 400, 10_000)];
  clock.at += 60_000;
  await cheap.correct(10);
  await costly.correct(1_000);

  expect(sums.current(key).total).toBe(600);
});
