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

/** Processes on one clock that add to a key nobody has used. */
const ground = (count: number) => {
  const clock = { at: start };
  const key = randomUUID();
  const processes = Array.from({ length: count }, () => minuteSums(database, () => clock.at));
  return { clock, key, processes };
};

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Requests of `count` that a process admits, each of them one. */
const admitted = async (sums: ReturnType<typeof minuteSums>, key: string, count: number, most: number) => {
  const known = await inTurn(times(count), async () => (await sums.add(key, 1, most)).known);
  return known.filter((each) => each <= most).length;
};

test("one process admits exactly what there is, and begins anew with the next minute", async () => {
  const { clock, key, processes } = ground(1);
  const [one = minuteSums(database)] = processes;

  expect(await admitted(one, key, 1_300, 1_000)).toBe(1_000);
  expect(one.known(key).seconds).toBe(50);
  clock.at = Date.parse("2026-10-01T12:01:00Z");
  expect(await admitted(one, key, 100, 1_000)).toBe(100);
});

test("many processes never refuse below what there is, and admit a block each too many at most", async () => {
  const { key, processes } = ground(8);
  const [most, block] = [1_000, 10];

  const all = await Promise.all(processes.map((sums) => admitted(sums, key, 200, most)));
  const sum = all.reduce((total, each) => total + each, 0);

  expect(sum).toBeGreaterThanOrEqual(most);
  expect(sum).toBeLessThanOrEqual(most + processes.length * block);
});

test("a process that looks knows what others have told", async () => {
  const { key, processes } = ground(2);
  const [one = minuteSums(database), other = minuteSums(database)] = processes;

  await one.add(key, 5_000, 100_000);
  await one.add(key, 3, 100_000);

  expect((await other.look(key)).known).toBe(5_000);
  expect((await one.look(key)).known).toBe(5_003);
});
