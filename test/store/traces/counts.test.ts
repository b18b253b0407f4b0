import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceCounts, type CountChange } from "../../../lib/store/traces/counts.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { once } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const changesOf = (project: string, signs: readonly (1 | -1)[]): readonly CountChange[] =>
  signs.map((change, index) => ({
    project,
    expiry: ["-", "9998-01-01", "9998-01-02"][index % 3] ?? "-",
    change,
    sequence: BigInt(index + 1) * 10n,
  }));

test("changes are added up over shards, separately for each project", async () => {
  const [project, otherProject] = [randomUUID(), randomUUID()];
  const counts = traceCounts(database);

  await counts.fold("shard-1", [...changesOf(project, [1, 1, -1]), ...changesOf(otherProject, [1])]);
  await counts.fold("shard-2", changesOf(project, [1]));

  expect(await counts.total(project)).toBe(2);
  expect(await counts.total(otherProject)).toBe(1);
  expect(await counts.total(randomUUID())).toBe(0);
});

test("changes are counted once, however often and in whatever batches and shard order they are delivered", async () => {
  const sign = fc.constantFrom<1 | -1>(1, -1);
  const shards = fc.array(fc.array(sign, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });
  const cuts = fc.array(fc.tuple(fc.nat(2), fc.nat(8), fc.nat(8)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(shards, cuts, async (signs, attempts) => {
      const project = randomUUID();
      // Two workers, each of which remembers what it wrote.
      const workers = [traceCounts(database), traceCounts(database)] as const;
      const records = signs.map((changeSigns) => changesOf(project, changeSigns));
      // A delivery begins at the shard's start or at an earlier record than the first unacknowledged one: there is no gap.
      const acknowledged = records.map(() => 0);
      for (const [pick, from, length] of attempts) {
        const shard = pick % records.length;
        const begin = Math.min(from, acknowledged[shard] ?? 0);
        const batch = (records[shard] ?? []).slice(begin, begin + length);
        await workers[length % 2 === 0 ? 0 : 1].fold(`shard-${shard}`, batch);
        acknowledged[shard] = Math.max(acknowledged[shard] ?? 0, begin + batch.length);
      }
      for (const [shard, changes] of records.entries()) await workers[0].fold(`shard-${shard}`, changes);
      expect(await workers[1].total(project)).toBe(signs.flat().reduce((sum, sign) => sum + sign, 0));
    }),
    { numRuns: 40 },
  );
});

test("a later batch of a shard takes one request for each counter, and two after another worker's", async () => {
  const project = randomUUID();
  const changes = changesOf(project, [1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const requests: string[] = [];
  const watched = faultyDatabase(database, async ({ operation }) => {
    requests.push(operation);
    return null;
  });
  const counts = traceCounts(watched);
  await counts.fold("shard", changes.slice(0, 3));
  requests.length = 0;

  await counts.fold("shard", changes.slice(0, 6));
  const second = requests.splice(0);
  await traceCounts(database).fold("shard", changes.slice(6, 7));
  await counts.fold("shard", changes.slice(6));

  expect(second).toEqual(["PutItem", "PutItem", "PutItem"]);
  // The first counter is unchanged since the other worker's batch: it is only read again.
  expect(requests.toSorted()).toEqual(["GetItem", "PutItem", "PutItem", "PutItem"]);
  expect(await counts.total(project)).toBe(9);
});

test("concurrent deliveries of one shard are counted once", async () => {
  const project = randomUUID();
  const changes = changesOf(project, [1, 1, 1, -1, 1]);

  await Promise.all(Array.from({ length: 3 }, () => traceCounts(database).fold("shard", changes)));

  expect(await traceCounts(database).total(project)).toBe(3);
});

test("a worker that was overtaken does not revert the counts of another worker", async () => {
  const [project, putGate] = [randomUUID(), pausePoint()];
  const changes = changesOf(project, [1, 1, 1, 1, 1]);
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "PutItem") await putGate.pass();
    return null;
  });
  await traceCounts(database).fold("shard", changes.slice(0, 1));
  const folding = traceCounts(slow).fold("shard", changes.slice(0, 3));
  await putGate.reached;

  await traceCounts(database).fold("shard", changes);
  putGate.open();
  await folding;

  expect(await traceCounts(database).total(project)).toBe(5);
});

test("an update whose answer was lost and that the SDK retries counts once", async () => {
  const project = randomUUID();
  const faultyDb = faultyDatabase(
    database,
    once(({ operation }) => operation === "PutItem", "timeout-after"),
  );

  await traceCounts(faultyDb).fold("shard", changesOf(project, [1, 1]));

  expect(await traceCounts(database).total(project)).toBe(2);
});

test("an interrupted update is completed by the next delivery", async () => {
  const project = randomUUID();
  let puts = 0;
  const faultyDb = faultyDatabase(database, ({ operation }) => {
    if (operation === "PutItem") puts += 1;
    return puts === 2 ? "crash-before" : null;
  });
  const changes = changesOf(project, [1, 1, 1, 1]);
  await expect(traceCounts(faultyDb).fold("shard", changes)).rejects.toThrow("died");

  await traceCounts(database).fold("shard", changes);

  expect(await traceCounts(database).total(project)).toBe(4);
});

const hour = 3_600_000;
const start = Date.parse("2026-10-01T12:00:00Z");

/** Counts `changes` new traces of a project in one counter, at an instant. */
const foldAt = (at: number, project: string, shard: string, changes: number, expiry = "-"): Promise<void> =>
  traceCounts(database, () => at).fold(
    shard,
    Array.from({ length: changes }, (_, index) => ({
      project,
      expiry,
      change: 1 as const,
      sequence: BigInt(index + 1),
    })),
  );

const storedCounters = async (project: string): Promise<readonly string[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "aggregates",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `${project}#traces` },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ sk, n, ttl }) => [sk, n, ttl].filter((part) => part !== undefined).join(" "));
};

test("traces leave the total on the day they expire, without a write", async () => {
  const project = randomUUID();
  await foldAt(start, project, "shard", 3);
  await foldAt(start, project, "other", 2, "2026-10-02");
  await foldAt(start, project, "third", 1, "2026-10-03");

  const totalAt = (time: string): Promise<number> => traceCounts(database, () => Date.parse(time)).total(project);

  expect(await totalAt("2026-10-01T23:59:59.999Z")).toBe(6);
  expect(await totalAt("2026-10-02T00:00:00Z")).toBe(4);
  expect(await totalAt("2026-10-03T00:00:00Z")).toBe(3);
});

test("the removal of expired rows writes no counter", async () => {
  const project = randomUUID();
  await foldAt(start, project, "shard", 2, "2026-10-02");
  const before = await storedCounters(project);

  await traceCounts(database, () => Date.parse("2026-10-02T00:00:00Z")).fold("shard", [
    { project, expiry: "2026-10-02", change: -1, sequence: 10n },
    { project, expiry: "2026-10-02", change: -1, sequence: 11n },
  ]);

  expect(await storedCounters(project)).toEqual(before);
});

test("the counter of an expiry day has an expiry itself", async () => {
  const project = randomUUID();

  await foldAt(start, project, "shard", 2, "2026-10-02");

  expect(await storedCounters(project)).toEqual([`expires#2026-10-02#shard 2 ${Date.parse("2026-10-03") / 1000}`]);
});

test("a new shard of a counter merges the shards that have been quiet for 25 hours", async () => {
  const project = randomUUID();
  await foldAt(start, project, "shard-1", 3);
  await foldAt(start, project, "shard-2", 4);
  await foldAt(start + 2 * hour, project, "shard-3", 5);

  await foldAt(start + 26 * hour, project, "shard-4", 1);

  expect(await storedCounters(project)).toEqual(["total#base 7", "total#shard-3 5", "total#shard-4 1"]);
});

test("the number of counter items does not grow with the number of past shards", async () => {
  const project = randomUUID();

  for (let shard = 0; shard < 40; shard += 1) await foldAt(start + shard * 4 * hour, project, `shard-${shard}`, 2);

  expect(await traceCounts(database, () => start).total(project)).toBe(80);
  expect((await storedCounters(project)).length).toBeLessThanOrEqual(9);
});

test("concurrent merges, one of them with a lost answer, count every shard once", async () => {
  const project = randomUUID();
  for (const shard of ["a", "b", "c"]) await foldAt(start, project, shard, 5);
  const faultyDb = faultyDatabase(
    database,
    once(({ operation }) => operation === "TransactWriteItems", "timeout-after"),
  );
  const foldLater = (on: Database, shard: string): Promise<void> =>
    traceCounts(on, () => start + 26 * hour).fold(shard, changesOf(project, [1]));

  await Promise.all([foldLater(database, "d"), foldLater(faultyDb, "e")]);

  expect(await traceCounts(database).total(project)).toBe(17);
  expect(await storedCounters(project)).toEqual(["total#base 15", "total#d 1", "total#e 1"]);
});

test("a process that dies during a merge loses no count", async () => {
  for (const kind of ["crash-before", "crash-after"] as const) {
    const project = randomUUID();
    await foldAt(start, project, "a", 5);
    const faultyDb = faultyDatabase(
      database,
      once(({ operation }) => operation === "TransactWriteItems", kind),
    );

    const dying = traceCounts(faultyDb, () => start + 26 * hour).fold("b", changesOf(project, [1]));

    await expect(dying).rejects.toThrow("died");
    expect(await traceCounts(database).total(project)).toBe(6);
  }
});
