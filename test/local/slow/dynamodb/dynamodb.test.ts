import { DynamoDBClient, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { localTable } from "../../../../infra/local/dynamodb/table-definition.ts";
import { removeExpired } from "../../../../infra/local/dynamodb/time-to-live.ts";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { type Fixture, startFixture, temporaryDirectory } from "../../../support/service/local-fixture.ts";

const properties = {
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
  TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
};

const index = {
  IndexName: "by-sort",
  KeySchema: [{ AttributeName: "sk", KeyType: "HASH" }],
  Projection: { ProjectionType: "ALL" },
};

const byExpiry = {
  IndexName: "by-expiry",
  KeySchema: [{ AttributeName: "ttl", KeyType: "HASH" }],
  Projection: { ProjectionType: "ALL" },
};

const fixture = (resources: Readonly<Record<string, unknown>> = {}): Fixture => ({
  resources: { Table: { Type: "AWS::DynamoDB::Table", Properties: { ...properties, ...resources } } },
});

const put = (client: DynamoDBClient, name: string, ttl?: number) =>
  client.send(
    new PutItemCommand({
      TableName: "Table",
      Item: { pk: { S: name }, sk: { S: "s" }, ...(ttl !== undefined && { ttl: { N: String(ttl) } }) },
    }),
  );

test("expired items are deleted, others stay", async () => {
  const { endpoints } = await startFixture(fixture());
  const client = new DynamoDBClient(localClient(endpoints.DYNAMODB));
  const now = Math.floor(Date.now() / 1_000);
  await put(client, "past", now - 1);
  await put(client, "future", now + 60);
  await put(client, "forever");

  await removeExpired(client, localTable("Table", "Table", properties));

  const { Items } = await client.send(new ScanCommand({ TableName: "Table" }));
  expect(Items?.map(({ pk }) => pk?.S).sort()).toEqual(["forever", "future"]);
});

test("data survives a restart, and new indexes of the template contain it", async () => {
  const directory = temporaryDirectory();
  const first = await startFixture(fixture(), directory);
  await put(new DynamoDBClient(localClient(first.endpoints.DYNAMODB)), "kept", 4_000_000_000);
  await first.close();

  const AttributeDefinitions = [...properties.AttributeDefinitions, { AttributeName: "ttl", AttributeType: "N" }];
  const GlobalSecondaryIndexes = [index, byExpiry];
  const { endpoints } = await startFixture(fixture({ AttributeDefinitions, GlobalSecondaryIndexes }), directory);

  const client = new DynamoDBClient(localClient(endpoints.DYNAMODB));
  for (const { IndexName } of GlobalSecondaryIndexes) {
    const { Items } = await client.send(new ScanCommand({ TableName: "Table", IndexName }));
    expect(Items?.map(({ pk }) => pk?.S)).toEqual(["kept"]);
  }
});

test("a new table of the template is created beside the existing ones", async () => {
  const directory = temporaryDirectory();
  const first = await startFixture(fixture(), directory);
  await put(new DynamoDBClient(localClient(first.endpoints.DYNAMODB)), "kept");
  await first.close();
  const { resources } = fixture();

  const { endpoints } = await startFixture(
    { resources: { ...resources, Later: { Type: "AWS::DynamoDB::Table", Properties: properties } } },
    directory,
  );

  const client = new DynamoDBClient(localClient(endpoints.DYNAMODB));
  const rows = await Promise.all(
    ["Table", "Later"].map(async (TableName) => (await client.send(new ScanCommand({ TableName }))).Items?.length),
  );
  expect(rows).toEqual([1, 0]);
});

test("a changed index is refused with one clear sentence", async () => {
  const directory = temporaryDirectory();
  const first = await startFixture(fixture({ GlobalSecondaryIndexes: [index] }), directory);
  await first.close();

  const changedIndex = { ...index, Projection: { ProjectionType: "KEYS_ONLY" } };
  const changed = startFixture(fixture({ GlobalSecondaryIndexes: [changedIndex] }), directory);

  await expect(changed).rejects.toThrow("The index by-sort of table Table has changed");
});

test("a changed table key is refused with one clear sentence", async () => {
  const directory = temporaryDirectory();
  const first = await startFixture(fixture(), directory);
  await first.close();

  const changed = startFixture(fixture({ KeySchema: properties.KeySchema.slice(0, 1) }), directory);

  await expect(changed).rejects.toThrow("--fresh");
});
