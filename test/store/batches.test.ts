import { randomUUID } from "node:crypto";
import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { batchGet } from "../../lib/store/batch-get.ts";
import { batchWrite } from "../../lib/store/batch-write.ts";
import { Overload } from "../../lib/store/failure.ts";
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

const stored = async (pk: string): Promise<readonly unknown[]> => {
  const items: unknown[] = [];
  const query = { TableName: "runs", KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  for await (const { Items = [] } of paginateQuery({ client: database.client }, query)) items.push(...Items);
  return items;
};

/** A connection that hands a part of each batch back as if there was no capacity for it, and notes how large the batches were. */
const shortOfCapacity = (kind: "Get" | "Write", handedBack: (elements: readonly unknown[]) => readonly unknown[]) => {
  const own = faultyDatabase(database, () => null);
  const sizes: number[] = [];
  own.client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] !== `Batch${kind}ItemCommand`) return await next(args);
      const { runs } = Reflect.get(args.input, "RequestItems") as { runs: { Keys: unknown[] } & unknown[] };
      const elements: readonly unknown[] = kind === "Get" ? runs.Keys : runs;
      const requests = (some: readonly unknown[]) =>
        some.length === 0 ? {} : { runs: kind === "Get" ? { Keys: some, ConsistentRead: true } : some };
      sizes.push(elements.length);
      const back = handedBack(elements);
      const taken = requests(elements.filter((element) => !back.includes(element)));
      const unprocessed = { [kind === "Get" ? "UnprocessedKeys" : "UnprocessedItems"]: requests(back) };
      if (back.length === elements.length) return { response: {}, output: { $metadata: {}, ...unprocessed } };
      const { output, response } = await next({ ...args, input: { ...args.input, RequestItems: taken } });
      return { response, output: { ...output, ...unprocessed } };
    },
    { step: "initialize", priority: "high", name: "shortOfCapacity" },
  );
  return { client: own.client, table: own.table, sizes };
};

const noted = () => {
  const waits: number[] = [];
  return { waits, pace: { sleep: async (wait: number) => void waits.push(wait), random: () => 1 } };
};

test("writes go in batches of 25, and there is nothing to send for none", async () => {
  const [own, keys] = [watchedDatabase(database), keysOf(randomUUID(), 60)];

  await batchWrite(own, "runs", puts(keys));
  await batchWrite(own, "runs", []);

  expect(own.calls.map(({ operation }) => operation)).toEqual(["BatchWriteItem", "BatchWriteItem", "BatchWriteItem"]);
  expect(await stored(keys[0]?.pk ?? "")).toEqual(keys);
});

test("what DynamoDB hands back is sent again until everything is written, puts and deletes", async () => {
  const keys = keysOf(randomUUID(), 60);
  const own = faultyDatabase(database, ({ operation }) =>
    operation === "BatchWriteItem (answer)" ? "partial-batch" : null,
  );

  await batchWrite(own, "runs", puts(keys));
  expect(await stored(keys[0]?.pk ?? "")).toEqual(keys);

  await batchWrite(
    own,
    "runs",
    keys.slice(1).map((Key) => ({ DeleteRequest: { Key } })),
  );
  expect(await stored(keys[0]?.pk ?? "")).toEqual(keys.slice(0, 1));
});

test("as long as DynamoDB takes one write of a batch nobody gives up", async () => {
  const keys = keysOf(randomUUID(), 25);
  const own = shortOfCapacity("Write", (elements) => elements.slice(1));

  await batchWrite(own, "runs", puts(keys), noted().pace);

  expect(await stored(keys[0]?.pk ?? "")).toEqual(keys);
  expect(own.sizes).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
});

test("what DynamoDB does not take ends with an overload, which a request answers with 503", async () => {
  const keys = keysOf(randomUUID(), 25);
  const own = shortOfCapacity("Write", (elements) => elements.slice(0, 1));
  const { pace, waits } = noted();

  const error: unknown = await batchWrite(own, "runs", puts(keys), pace).catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(Overload);
  expect(refusalOf(error, () => 0)?.reason).toEqual({
    kind: "unavailable",
    detail: "The service is busy. Try again in a moment.",
  });
  expect(own.sizes).toEqual([25, ...Array.from({ length: 29 }, () => 1)]);
  expect([waits.length, waits.slice(0, 3), waits.at(-1)]).toEqual([29, [20, 40, 80], 1000]);
  expect(await stored(keys[0]?.pk ?? "")).toEqual(keys.slice(1));
});

test("keys that DynamoDB hands back are read again, and what is not there is left out", async () => {
  const keys = keysOf(randomUUID(), 120);
  await batchWrite(database, "runs", puts(keys.slice(0, 110)));
  const own = shortOfCapacity("Get", (elements) => elements.slice(40));

  const found = await batchGet(own, "runs", keys);

  expect(found.map(({ sk }) => String(sk)).toSorted()).toEqual(keys.slice(0, 110).map(({ sk }) => sk));
  expect(own.sizes).toEqual([100, 60, 20, 20]);
});
