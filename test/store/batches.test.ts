import { randomUUID } from "node:crypto";
import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { batchGet, batchWrite } from "../../lib/dynamo/batches.ts";
import { Overload } from "../../lib/dynamo/failure.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import { watchedDatabase } from "../support/database/watched-database.ts";
import { faultyDatabase } from "../support/faults/faults.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const keysOf = (pk: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ pk, sk: String(index).padStart(4, "0") }));

const puts = (keys: readonly object[]) => keys.map((key) => ({ PutRequest: { Item: { ...key } } }));

const readItems = async (pk: string): Promise<readonly unknown[]> => {
  const items: unknown[] = [];
  const query = { TableName: "runs", KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  for await (const { Items = [] } of paginateQuery({ client: database.client }, query)) items.push(...Items);
  return items;
};

/** A connection that returns part of each batch as unprocessed, as for lack of capacity, and records the batch sizes. */
const shortOfCapacity = (kind: "Get" | "Write", handedBack: (elements: readonly unknown[]) => readonly unknown[]) => {
  const faultyDb = faultyDatabase(database, () => null);
  const sizes: number[] = [];
  faultyDb.client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] !== `Batch${kind}ItemCommand`) return await next(args);
      const { runs } = Reflect.get(args.input, "RequestItems") as { runs: { Keys: unknown[] } & unknown[] };
      const elements: readonly unknown[] = kind === "Get" ? runs.Keys : runs;
      const requests = (subset: readonly unknown[]) =>
        subset.length === 0 ? {} : { runs: kind === "Get" ? { Keys: subset, ConsistentRead: true } : subset };
      sizes.push(elements.length);
      const handedBackElements = handedBack(elements);
      const processed = requests(elements.filter((element) => !handedBackElements.includes(element)));
      const unprocessed = { [kind === "Get" ? "UnprocessedKeys" : "UnprocessedItems"]: requests(handedBackElements) };
      if (handedBackElements.length === elements.length)
        return { response: {}, output: { $metadata: {}, ...unprocessed } };
      const { output, response } = await next({ ...args, input: { ...args.input, RequestItems: processed } });
      return { response, output: { ...output, ...unprocessed } };
    },
    { step: "initialize", priority: "high", name: "shortOfCapacity" },
  );
  return { client: faultyDb.client, table: faultyDb.table, sizes };
};

const recordedPace = () => {
  const waits: number[] = [];
  return { waits, pace: { sleep: async (wait: number) => void waits.push(wait), random: () => 1 } };
};

test("writes are sent in batches of 25, and an empty list sends nothing", async () => {
  const [watchedDb, keys] = [watchedDatabase(database), keysOf(randomUUID(), 60)];

  await batchWrite(watchedDb, "runs", puts(keys));
  await batchWrite(watchedDb, "runs", []);

  expect(watchedDb.calls.map(({ operation }) => operation)).toEqual([
    "BatchWriteItem",
    "BatchWriteItem",
    "BatchWriteItem",
  ]);
  expect(await readItems(keys[0]?.pk ?? "")).toEqual(keys);
});

test("unprocessed puts and deletes are sent again until everything is written", async () => {
  const keys = keysOf(randomUUID(), 60);
  const faultyDb = faultyDatabase(database, ({ operation }) =>
    operation === "BatchWriteItem (answer)" ? "partial-batch" : null,
  );

  await batchWrite(faultyDb, "runs", puts(keys));
  expect(await readItems(keys[0]?.pk ?? "")).toEqual(keys);

  await batchWrite(
    faultyDb,
    "runs",
    keys.slice(1).map((Key) => ({ DeleteRequest: { Key } })),
  );
  expect(await readItems(keys[0]?.pk ?? "")).toEqual(keys.slice(0, 1));
});

test("a batch write continues as long as DynamoDB processes at least one write of a batch", async () => {
  const keys = keysOf(randomUUID(), 25);
  const limitedDb = shortOfCapacity("Write", (elements) => elements.slice(1));

  await batchWrite(limitedDb, "runs", puts(keys), recordedPace().pace);

  expect(await readItems(keys[0]?.pk ?? "")).toEqual(keys);
  expect(limitedDb.sizes).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
});

test("a write that DynamoDB never processes ends with an Overload, which a request answers with 503", async () => {
  const keys = keysOf(randomUUID(), 25);
  const limitedDb = shortOfCapacity("Write", (elements) => elements.slice(0, 1));
  const { pace, waits } = recordedPace();

  const error: unknown = await batchWrite(limitedDb, "runs", puts(keys), pace).catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(Overload);
  expect(refusalOf(error, () => 0)?.reason).toEqual({
    kind: "unavailable",
    detail: "The service is busy. Try again in a moment.",
  });
  expect(limitedDb.sizes).toEqual([25, ...Array.from({ length: 29 }, () => 1)]);
  expect([waits.length, waits.slice(0, 3), waits.at(-1)]).toEqual([29, [20, 40, 80], 1000]);
  expect(await readItems(keys[0]?.pk ?? "")).toEqual(keys.slice(1));
});

test("batches of keys are read in parallel, sixteen at a time", async () => {
  const keys = keysOf(randomUUID(), 2_000);
  let [running, most] = [0, 0];
  const watched = faultyDatabase(database, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return null;
  });

  expect(await batchGet(watched, "runs", keys)).toEqual([]);

  expect(most).toBe(16);
});

test("unprocessed keys are read again, and missing items are left out", async () => {
  const keys = keysOf(randomUUID(), 120);
  await batchWrite(database, "runs", puts(keys.slice(0, 110)));
  const limitedDb = shortOfCapacity("Get", (elements) => elements.slice(40));

  const items = await batchGet(limitedDb, "runs", keys);

  expect(items.map(({ sk }) => String(sk)).toSorted()).toEqual(keys.slice(0, 110).map(({ sk }) => sk));
  expect(limitedDb.sizes.toSorted((a, b) => b - a)).toEqual([100, 60, 20, 20]);
});
