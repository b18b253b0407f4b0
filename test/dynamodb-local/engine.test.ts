import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dynamoDbLocal } from "../../infra/local/dynamodb/dynamodb-local.ts";
import { ensureTable } from "../../infra/local/dynamodb/tables.ts";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { commandOf, openProcessRegister } from "../../infra/local/host/process-register.ts";
import { startDatabase } from "../support/database/database.ts";
import { engine } from "../support/database/engine.ts";
import { eventually, startFixture, temporaryDirectory } from "../support/service/local-fixture.ts";
import { tableStream } from "../support/database/table-stream.ts";

const create = {
  TableName: "Table",
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
} as const;

const start = async (directory: string) => {
  const database = await dynamoDbLocal.start(directory, openProcessRegister(directory));
  const client = new DynamoDBClient(localClient(database.url));
  await ensureTable(client, {
    id: "Table",
    create: { ...create, AttributeDefinitions: [...create.AttributeDefinitions], KeySchema: [...create.KeySchema] },
    expiryAttribute: undefined,
  });
  onTestFinished(async () => {
    client.destroy();
    await database.close();
  });
  return client;
};

test("the suite runs on DynamoDB Local", () => {
  expect(engine).toBe(dynamoDbLocal);
});

test("written items are present after a kill -9", async () => {
  const directory = temporaryDirectory();
  const client = await start(directory);
  await client.send(new PutItemCommand({ TableName: "Table", Item: { pk: { S: "a" } } }));
  const { started } = JSON.parse(readFileSync(join(directory, "pids.json"), "utf8")) as { started: { pid: number }[] };
  const pid = started[0]?.pid ?? 0;

  process.kill(pid, "SIGKILL");
  await eventually(() => (commandOf(pid) ? undefined : true));

  const restarted = await start(directory);
  const { Item } = await restarted.send(new GetItemCommand({ TableName: "Table", Key: { pk: { S: "a" } } }));
  expect(Item).toEqual({ pk: { S: "a" } });
});

test("the data directory of DynamoDB Local is separate from that of the other engine", async () => {
  const directory = temporaryDirectory();

  const stack = await startFixture({}, directory);
  await stack.close();

  expect(existsSync(join(directory, "dynamodb-local"))).toBe(true);
  expect(existsSync(join(directory, "dynamodb.sqlite"))).toBe(false);
});

test("the first record of an empty stream beside streams with records is read, with its time in seconds", async () => {
  const database = await startDatabase({ streams: true });
  onTestFinished(() => database.close());
  const rows = await tableStream(database, "rows");
  const write = (TableName: string, Item: Readonly<Record<string, unknown>>) =>
    database.client.send(new PutItemCommand({ TableName, Item: Item as never }));

  const before = await rows();
  await write("runs", { pk: { S: "p" }, sk: { S: "a" } });
  await write("runs", { pk: { S: "p" }, sk: { S: "b" } });
  const startedAt = Math.floor(Date.now() / 1_000);
  await write("rows", { pk: { B: Buffer.from("p") }, sk: { B: Buffer.from("c") } });
  const after = await rows();

  expect(before).toEqual([]);
  expect(after).toMatchObject([{ eventName: "INSERT", dynamodb: { Keys: { sk: { B: "Yw==" } } } }]);
  expect(after[0]?.dynamodb?.ApproximateCreationDateTime).toBeGreaterThanOrEqual(startedAt);
});
