import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceCounts, type CountChange } from "../../lib/store/trace-counts.ts";
import { startDatabase, type TestDatabase } from "../support/database.ts";
import { faultyDatabase } from "../support/faults.ts";
import { gate } from "../support/gate.ts";
import { once } from "../support/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const changesOf = (project: string, signs: readonly (1 | -1)[]): readonly CountChange[] =>
  signs.map((change, index) => ({
    project,
    day: `2026-10-0${1 + (index % 3)}`,
    change,
    sequence: BigInt(index + 1) * 10n,
  }));

test("changes are added up, over shards and projects apart", async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const counts = traceCounts(database);

  await counts.fold("shard-1", [...changesOf(mine, [1, 1, -1]), ...changesOf(other, [1])]);
  await counts.fold("shard-2", changesOf(mine, [1]));

  expect(await counts.total(mine)).toBe(2);
  expect(await counts.total(other)).toBe(1);
  expect(await counts.total(randomUUID())).toBe(0);
});

test("however often, however cut and in whatever order of shards they come, changes count once", async () => {
  const sign = fc.constantFrom<1 | -1>(1, -1);
  const shards = fc.array(fc.array(sign, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });
  const cuts = fc.array(fc.tuple(fc.nat(2), fc.nat(8), fc.nat(8)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(shards, cuts, async (signs, attempts) => {
      const project = randomUUID();
      const counts = traceCounts(database);
      const records = signs.map((of) => changesOf(project, of));
      // A shard is delivered from its beginning or again from what was not acknowledged: always without a gap.
      const reached = records.map(() => 0);
      for (const [pick, from, length] of attempts) {
        const shard = pick % records.length;
        const begin = Math.min(from, reached[shard] ?? 0);
        const batch = (records[shard] ?? []).slice(begin, begin + length);
        await counts.fold(`shard-${shard}`, batch);
        reached[shard] = Math.max(reached[shard] ?? 0, begin + batch.length);
      }
      for (const [shard, all] of records.entries()) await counts.fold(`shard-${shard}`, all);
      expect(await counts.total(project)).toBe(signs.flat().reduce((sum, one) => sum + one, 0));
    }),
    { numRuns: 40 },
  );
});

test("two folders of one shard at once count once", async () => {
  const project = randomUUID();
  const changes = changesOf(project, [1, 1, 1, -1, 1]);

  await Promise.all(Array.from({ length: 3 }, () => traceCounts(database).fold("shard", changes)));

  expect(await traceCounts(database).total(project)).toBe(3);
});

test("a folder that was overtaken does not take back what the other counted", async () => {
  const [project, held] = [randomUUID(), gate()];
  const changes = changesOf(project, [1, 1, 1, 1, 1]);
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "PutItem") await held.pass();
    return null;
  });
  await traceCounts(database).fold("shard", changes.slice(0, 1));
  const folding = traceCounts(slow).fold("shard", changes.slice(0, 3));
  await held.reached;

  await traceCounts(database).fold("shard", changes);
  held.open();
  await folding;

  expect(await traceCounts(database).total(project)).toBe(5);
});

test("a fold whose answer was lost and that the SDK repeats counts once", async () => {
  const project = randomUUID();
  const own = faultyDatabase(
    database,
    once(({ operation }) => operation === "PutItem", "timeout-after"),
  );

  await traceCounts(own).fold("shard", changesOf(project, [1, 1]));

  expect(await traceCounts(database).total(project)).toBe(2);
});

test("a fold that broke off in the middle is completed by the next delivery", async () => {
  const project = randomUUID();
  let puts = 0;
  const own = faultyDatabase(database, ({ operation }) => {
    if (operation === "PutItem") puts += 1;
    return puts === 2 ? "crash-before" : null;
  });
  const changes = changesOf(project, [1, 1, 1, 1]);
  await expect(traceCounts(own).fold("shard", changes)).rejects.toThrow("died");

  await traceCounts(database).fold("shard", changes);

  expect(await traceCounts(database).total(project)).toBe(4);
});
