import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchGet } from "../../lib/store/batch-get.ts";
import { isThrottled } from "../../lib/store/failure.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import type { Call } from "../support/faults/fault-kind.ts";
import { faultyDatabase } from "../support/faults/faults.ts";
import { dynamoDbLimits, partitions } from "../support/faults/partitions.ts";
import { seeded } from "../support/random.ts";
import { seededFaults, tallied, type Tally } from "../support/faults/seeded-faults.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: "-" } });
const put = (pk: string, bytes = 1): Call => ({
  operation: "PutItem",
  input: { TableName: "runs", Item: { ...keyOf(pk), d: { B: new Uint8Array(bytes) } } },
});
const get = (pk: string): Call => ({ operation: "GetItem", input: { TableName: "runs", Key: { pk: { S: pk } } } });
const both = (...calls: readonly Call[]): Call => ({
  operation: "TransactWriteItems",
  input: { TransactItems: calls.map(({ input }) => ({ Put: input })) },
});

/** How many of the same calls are let through at once. */
const letThrough = (decide: (call: Call) => string | null, call: Call): number => {
  for (let made = 0; ; made += 1) if (decide(call) !== null) return made;
};

describe("the model of a partition", () => {
  const at = { time: 0 };
  const model = (limits = dynamoDbLimits) => {
    at.time = 0;
    return partitions(() => at.time, limits);
  };

  test("lets 300 s of 1,000 writes and 3,000 reads through at once, then as many a second", () => {
    const decide = model();

    const burst = [letThrough(decide, put("a")), letThrough(decide, get("a"))];
    at.time += 1_000;
    const later = [letThrough(decide, put("a")), letThrough(decide, get("a"))];

    expect([burst, later]).toEqual([
      [300_000, 900_000],
      [1_000, 3_000],
    ]);
  });

  test("counts each kilobyte that is written, and twice in a transaction", () => {
    const small = { write: 10, read: 10, burst: 1 };

    expect(letThrough(model(small), put("a", 1_500))).toBe(5);
    expect(letThrough(model(small), both(put("a"), put("b")))).toBe(5);
  });

  test("counts an item that was put by its size when it is read or deleted", () => {
    const decide = model({ write: 20, read: 20, burst: 1 });
    const large = put("a", 9_500);
    decide(large);
    const remove: Call = { operation: "DeleteItem", input: { TableName: "runs", Key: keyOf("a") } };
    const read: Call = { operation: "GetItem", input: { TableName: "runs", Key: keyOf("a") } };

    expect([letThrough(decide, remove), letThrough(decide, read)]).toEqual([1, 7]);
  });

  test("throttles a transaction for one item of it, and no other partition", () => {
    const decide = model({ write: 2, read: 2, burst: 1 });
    letThrough(decide, put("a"));

    expect([decide(both(put("b"), put("a"))), decide(put("a")), decide(put("b"))]).toEqual([
      "throttled-item",
      "throttle",
      null,
    ]);
  });

  test("keeps no more than its burst of what was not used", () => {
    const decide = model({ write: 2, read: 2, burst: 3 });
    letThrough(decide, put("a"));
    at.time += 3_600_000;

    expect(letThrough(decide, put("a"))).toBe(6);
  });

  test("is asked by a connection, whose code meets what AWS would say", async () => {
    const pk = randomUUID();
    const tally: Tally = new Map();
    const decide = model({ write: 3, read: 3, burst: 1 });
    const { client } = faultyDatabase(
      database,
      (call) => {
        const kind = decide(call);
        if (kind !== null) tallied(tally, `${kind} ${call.operation}`);
        return kind;
      },
      1,
    );
    const Item = { pk, sk: "-" };
    const write = new TransactWriteCommand({ TransactItems: [{ Put: { TableName: "runs", Item } }] });
    const said = async (work: Promise<unknown>): Promise<unknown> =>
      await work.then(
        () => "done",
        (error: unknown) => [isThrottled(error), error instanceof Error && error.name],
      );

    const seen = [
      await said(client.send(write)),
      await said(client.send(write)),
      await said(client.send(write)),
      await said(client.send(new PutCommand({ TableName: "runs", Item }))),
      await said(client.send(new GetCommand({ TableName: "runs", Key: Item }))),
    ];

    expect(seen).toEqual([
      "done",
      "done",
      [true, "TransactionCanceledException"],
      [true, "ProvisionedThroughputExceededException"],
      "done",
    ]);
    expect([...tally]).toEqual([
      ["throttled-item TransactWriteItems", 1],
      ["throttle PutItem", 1],
    ]);
  });
});

test("an unprocessed half of a batch of reads is injected, tallied, and asked for again", async () => {
  const [pk, tally]: [string, Tally] = [randomUUID(), new Map()];
  const keys = Array.from({ length: 9 }, (_, index) => ({ pk, sk: String(index) }));
  for (const Item of keys) await database.client.send(new PutCommand({ TableName: "runs", Item }));
  const own = faultyDatabase(database, seededFaults(seeded(1), { "partial-get": 1 }, tally));

  const found = await batchGet(own, "runs", keys);

  expect(found.map(({ sk }) => sk).toSorted()).toEqual(keys.map(({ sk }) => sk));
  // 9 keys, of which 4, then 2, then 1 are handed back.
  expect([...tally]).toEqual([["partial-get BatchGetItem (answer)", 3]]);
});
