import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { itemsOf } from "../../../lib/dynamo/items.ts";

/** Items of the table `runs` over a client that records requests and answers each with the next reply. */
const itemsWith = (...replies: readonly object[]) => {
  const requests: unknown[] = [];
  const respond = async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
    requests.push([headers["x-amz-target"]?.split(".")[1], JSON.parse(new TextDecoder().decode(body))]);
    const bytes = Buffer.from(JSON.stringify(replies[requests.length - 1] ?? {}));
    return { response: { statusCode: 200, headers: {}, body: bytes } };
  };
  const client = new DynamoDBClient({
    region: "eu-west-1",
    credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    requestHandler: { handle: respond },
  });
  const database = { client: DynamoDBDocumentClient.from(client), table: (name: string) => `T-${name}` };
  return { requests, items: itemsOf(database, "runs") };
};

const key = { pk: "p", sk: "s" };
const wireKey = { pk: { S: "p" }, sk: { S: "s" } };

test("a read is strongly consistent, except of an index or on request", async () => {
  const { requests, items } = itemsWith();

  await items.get(key);
  await items.get(key, { strongly: false, attributes: "d, #ttl" });
  await items.page({ pk: "p", prefix: "slice#", limit: 2, descending: true });
  await items.page({ pk: "p", between: ["a", "b"], filter: "n = :n", values: { ":n": 1, ":unused": 2 } });
  await items.page({ index: "by-run", where: "run_key = :run", values: { ":run": "r" }, countOnly: true });
  await items.scan({ attributes: "pk", start: key });

  const TableName = "T-runs";
  expect(requests).toEqual([
    ["GetItem", { TableName, Key: wireKey, ConsistentRead: true }],
    [
      "GetItem",
      {
        TableName,
        Key: wireKey,
        ConsistentRead: false,
        ProjectionExpression: "d, #ttl",
        ExpressionAttributeNames: { "#ttl": "ttl" },
      },
    ],
    [
      "Query",
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": { S: "p" }, ":prefix": { S: "slice#" } },
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: 2,
      },
    ],
    [
      "Query",
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        FilterExpression: "n = :n",
        ExpressionAttributeValues: {
          ":pk": { S: "p" },
          ":first": { S: "a" },
          ":last": { S: "b" },
          ":n": { N: "1" },
        },
        ConsistentRead: true,
        ScanIndexForward: true,
      },
    ],
    [
      "Query",
      {
        TableName,
        IndexName: "by-run",
        KeyConditionExpression: "run_key = :run",
        ExpressionAttributeValues: { ":run": { S: "r" } },
        Select: "COUNT",
        ConsistentRead: false,
        ScanIndexForward: true,
      },
    ],
    [
      "Scan",
      {
        TableName,
        ProjectionExpression: "pk",
        Select: "SPECIFIC_ATTRIBUTES",
        ExclusiveStartKey: wireKey,
        ConsistentRead: true,
      },
    ],
  ]);
});

test("a write sends the names and values that its expressions refer to", async () => {
  const { requests, items } = itemsWith();
  const change = "SET #state = :open REMOVE sent";
  const condition = { when: "attribute_exists(pk) AND #epoch = :epoch", values: { ":open": "open", ":epoch": 3 } };

  await items.put(key);
  await items.update(key, change, { ...condition, ReturnValues: "ALL_NEW" });
  await items.remove(key, { ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
  await items.transact([
    { update: key, change, ...condition },
    { table: "rows", check: key, when: "attribute_exists(d)" },
    { put: key, when: condition.when, values: condition.values },
    { remove: key },
  ]);

  const TableName = "T-runs";
  const ifEpoch = {
    TableName,
    ConditionExpression: "attribute_exists(pk) AND #epoch = :epoch",
    ExpressionAttributeNames: { "#epoch": "epoch" },
    ExpressionAttributeValues: { ":epoch": { N: "3" } },
  };
  const update = {
    ...ifEpoch,
    Key: wireKey,
    UpdateExpression: change,
    ExpressionAttributeNames: { "#state": "state", "#epoch": "epoch" },
    ExpressionAttributeValues: { ":open": { S: "open" }, ":epoch": { N: "3" } },
  };
  expect(requests).toEqual([
    ["PutItem", { TableName, Item: wireKey }],
    ["UpdateItem", { ...update, ReturnValues: "ALL_NEW" }],
    ["DeleteItem", { ...ifEpoch, Key: wireKey, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }],
    [
      "TransactWriteItems",
      {
        ClientRequestToken: expect.any(String),
        TransactItems: [
          { Update: update },
          { ConditionCheck: { TableName: "T-rows", Key: wireKey, ConditionExpression: "attribute_exists(d)" } },
          { Put: { ...ifEpoch, Item: wireKey } },
          { Delete: { TableName, Key: wireKey } },
        ],
      },
    ],
  ]);
});

test("a list reads every page", async () => {
  const { requests, items } = itemsWith({ Items: [wireKey], LastEvaluatedKey: wireKey }, { Items: [wireKey] });

  const read = await items.list({ pk: "p" });

  expect(read).toEqual([key, key]);
  expect(requests).toMatchObject([
    ["Query", {}],
    ["Query", { ExclusiveStartKey: wireKey }],
  ]);
});
