import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchGet } from "../../../lib/dynamo/batches.ts";
import { isThrottled } from "../../../lib/dynamo/failure.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import type { Call } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { dynamoDbLimits, partitions } from "../../support/faults/partitions.ts";
import { seeded } from "../../support/random.ts";
import { seededFaults, tallied, type Tally } from "../../support/faults/seeded-faults.ts";

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

/** Counts how many identical calls are admitted at once. */
const admittedCalls = (decide: (call: Call) => string | null, call: Call): number => {
  for (let admitted = 0; ; admitted += 1) if (decide(call) !== null) return admitted;
};

describe("the model of a partition", () => {
  const at = { time: 0 };
  const model = (limits = dynamoDbLimits) => {
    at.time = 0;
    return partitions(() => at.time, limits);
  };

  test("admits 300 s of 1,000 writes and 3,000 reads at once, then as many per second", () => {
    const decide = model();

    const burst = [admittedCalls(decide, put("a")), admittedCalls(decide, get("a"))];
    at.time += 1_000;
    const later = [admittedCalls(decide, put("a")), admittedCalls(decide, get("a"))];

    expect([burst, later]).toEqual([
      [300_000, 900_000],
      [1_000, 3_000],
    ]);
  });

  test("counts each written kilobyte, and twice in a transaction", () => {
    const small = { write: 10, read: 10, burst: 1 };

    expect(admittedCalls(model(small), put("a", 1_500))).toBe(5);
    expect(admittedCalls(model(small), both(put("a"), put("b")))).toBe(5);
  });

  test("charges the size of a stored item when it is read or deleted", () => {
    const decide = model({ write: 20, read: 20, burst: 1 });
    const large = put("a", 9_500);
    decide(large);
    const remove: Call = { operation: "DeleteItem", input: { TableName: "runs", Key: keyOf("a") } };
    const readCall: Call = { operation: "GetItem", input: { TableName: "runs", Key: keyOf("a") } };

    expect([admittedCalls(decide, remove), admittedCalls(decide, readCall)]).toEqual([1, 7]);
  });

  test("throttles a transaction with one item in an exhausted partition, and no other partition", () => {
    const decide = model({ write: 2, read: 2, burst: 1 });
    admittedCalls(decide, put("a"));

    expect([decide(both(put("b"), put("a"))), decide(put("a")), decide(put("b"))]).toEqual([
      "throttled-item",
      "throttle",
      null,
    ]);
  });

  test("saves no more than the burst of unused capacity", () => {
    const decide = model({ write: 2, read: 2, burst: 3 });
    admittedCalls(decide, put("a"));
    at.time += 3_600_000;

    expect(admittedCalls(decide, put("a"))).toBe(6);
  });

  test("throttles a connection with the errors of AWS", async () => {
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
    const outcomeOf = async (work: Promise<unknown>): Promise<unknown> =>
      await work.then(
        () => "done",
        (error: unknown) => [isThrottled(error), error instanceof Error && error.name],
      );

    const outcomes = [
      await outcomeOf(client.send(write)),
      await outcomeOf(client.send(write)),
      await outcomeOf(client.send(write)),
      await outcomeOf(client.send(new PutCommand({ TableName: "runs", Item }))),
      await outcomeOf(client.send(new GetCommand({ TableName: "runs", Key: Item }))),
    ];

    expect(outcomes).toEqual([
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

test("an unprocessed half of a batch of reads is injected, tallied and requested again", async () => {
  const [pk, tally]: [string, Tally] = [randomUUID(), new Map()];
  const keys = Array.from({ length: 9 }, (_, index) => ({ pk, sk: String(index) }));
  for (const Item of keys) await database.client.send(new PutCommand({ TableName: "runs", Item }));
  const connection = faultyDatabase(database, seededFaults(seeded(1), { "partial-get": 1 }, tally));

  const items = await batchGet(connection, "runs", keys);

  expect(items.map(({ sk }) => sk).toSorted()).toEqual(keys.map(({ sk }) => sk));
  // Of the 9 keys, 4, then 2, then 1 are returned as unprocessed.
  expect([...tally]).toEqual([["partial-get BatchGetItem (answer)", 3]]);
});
