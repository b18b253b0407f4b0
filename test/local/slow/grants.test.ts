import { isAllowed } from "../../../infra/local/iam/decision.ts";
import { DynamoDBClient, GetItemCommand, QueryCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenOnLoopback, type Endpoint } from "../../../infra/local/host/loopback-server.ts";
import { accessKeyOf } from "../../../infra/local/iam/access-key.ts";
import { directPort } from "../../../infra/local/iam/direct-port.ts";
import { startGuard, type Denial } from "../../../infra/local/iam/guard.ts";
import { jsonCallPermissions } from "../../../infra/local/iam/json-permissions.ts";
import { SignatureV4 } from "../../../infra/local/lambda/unsigned-requests.ts";
import { accessPartitions } from "../../../lib/dynamo/table.ts";
import type { AccessKey } from "../../../lib/store/access/keys.ts";
import * as accessKeys from "../../../lib/store/access/keys.ts";
import { arn } from "../../../infra/local/template/arn.ts";

const table = arn("dynamodb", "table/rows");
const denials: Denial[] = [];
let service: Endpoint;
let guard: Endpoint;

beforeAll(async () => {
  service = await listenOnLoopback(createServer((_, response) => response.end("{}")));
  const reader = [
    { effect: "Allow", actions: ["dynamodb:GetItem"], resources: [table] },
    { effect: "Allow", actions: ["dynamodb:Query"], resources: [`${table}/index/by-session`] },
  ];
  guard = await startGuard(service.url, new Map([["reader", reader]]), (denial) => denials.push(denial));
});
afterAll(async () => {
  await guard.close();
  await service.close();
});

const clientOf = (name: string) =>
  new DynamoDBClient({
    endpoint: guard.url,
    region: "us-east-1",
    credentials: { accessKeyId: accessKeyOf(name), secretAccessKey: "local" },
    maxAttempts: 1,
  });

const Key = { pk: { S: "a" } };

test("a call that the function's role allows is forwarded", async () => {
  const reply = await clientOf("reader").send(new GetItemCommand({ TableName: "rows", Key }));

  expect(reply.$metadata.httpStatusCode).toBe(200);
});

test.each([
  ["another table", new GetItemCommand({ TableName: "scores", Key })],
  ["the table itself where only an index is allowed", new QueryCommand({ TableName: "rows" })],
  [
    "an action inside a transaction",
    new TransactWriteItemsCommand({ TransactItems: [{ Delete: { TableName: "rows", Key } }] }),
  ],
])("a call on %s is refused and logged", async (_, command) => {
  denials.length = 0;

  const call = clientOf("reader").send(command as GetItemCommand);

  await expect(call).rejects.toMatchObject({ name: "AccessDeniedException" });
  expect(denials).toMatchObject([{ functionName: "reader" }]);
});

test("an index is a separate resource", async () => {
  const reply = await clientOf("reader").send(new QueryCommand({ TableName: "rows", IndexName: "by-session" }));

  expect(reply.$metadata.httpStatusCode).toBe(200);
});

test("the local runtime's own calls are never refused", async () => {
  const reply = await clientOf("local-runtime").send(new GetItemCommand({ TableName: "scores", Key }));

  expect(reply.$metadata.httpStatusCode).toBe(200);
});

test("a batch to a queue needs the permission of its single form", () => {
  const needs = jsonCallPermissions("AmazonSQS.SendMessageBatch", {
    QueueUrl: "http://127.0.0.1:1/000000000000/judge",
  });

  expect(needs).toEqual([{ action: "sqs:SendMessage", resource: arn("sqs", "judge") }]);
});

test("an unknown service is an error, not a permission", () => {
  expect(() => jsonCallPermissions("Unknown.Call", {})).toThrow("The permissions of Unknown.Call are not known");
});

const limitedTo = (...patterns: string[]) => ({
  effect: "Allow",
  actions: ["dynamodb:*"],
  resources: ["*"],
  conditions: {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": patterns },
    Null: { "dynamodb:LeadingKeys": "false" },
  },
});
const organizations = limitedTo("organization#*", "gateway-keys");
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: "x" } });
const query = (KeyConditionExpression: string, values: Record<string, string>) => ({
  KeyConditionExpression,
  ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }])),
});
const isGranted = (call: string, body: Record<string, unknown>): boolean =>
  jsonCallPermissions(`DynamoDB_20120810.${call}`, { TableName: "access", ...body }).every((need) =>
    isAllowed([organizations], need),
  );

test("every key of the access table belongs to exactly one kind of its partitions", () => {
  const keys: readonly (string | AccessKey)[] = Object.values(accessKeys)
    // An entry of a deletion lies in a partition that its caller names.
    .filter((value) => value !== accessKeys.prefixes && value !== accessKeys.deletionEntryKey)
    .map((value) => (typeof value === "function" ? value("x", "y", "z") : (value as string | AccessKey)));
  const kindsOf = (pk: string): string[] =>
    Object.entries(accessPartitions)
      .filter(([, pattern]) => (pattern.endsWith("#*") ? pk.startsWith(pattern.slice(0, -1)) : pk === pattern))
      .map(([kind]) => kind);
  const kinds = keys.map((each) => kindsOf(typeof each === "string" ? each : each.pk));

  expect(kinds.filter(({ length }) => length !== 1)).toEqual([]);
  expect(new Set(kinds.flat()).size).toBe(
    Object.keys(accessPartitions).length - ["storageScan", "reconciliation"].length,
  );
});

test.each<[string, string, (pk: string) => Record<string, unknown>]>([
  ["a read", "GetItem", (pk) => ({ Key: key(pk) })],
  ["a put", "PutItem", (pk) => ({ Item: key(pk) })],
  ["an update", "UpdateItem", (pk) => ({ Key: key(pk) })],
  ["a deletion", "DeleteItem", (pk) => ({ Key: key(pk) })],
  [
    "a query",
    "Query",
    (pk) => query("pk = :pk AND begins_with(sk, :prefix)", { ":pk": pk, ":prefix": "organization#" }),
  ],
  [
    "one of several reads",
    "BatchGetItem",
    (pk) => ({ RequestItems: { access: { Keys: [key("gateway-keys"), key(pk)] } } }),
  ],
  [
    "one of several writes",
    "BatchWriteItem",
    (pk) => ({
      RequestItems: { access: [{ DeleteRequest: { Key: key("organization#1") } }, { PutRequest: { Item: key(pk) } }] },
    }),
  ],
  [
    "a write of a transaction",
    "TransactWriteItems",
    (pk) => ({
      TransactItems: [
        { Put: { TableName: "access", Item: key("organization#1") } },
        { Update: { TableName: "access", Key: key(pk) } },
      ],
    }),
  ],
  [
    "a check of a transaction",
    "TransactWriteItems",
    (pk) => ({ TransactItems: [{ ConditionCheck: { TableName: "access", Key: key(pk) } }] }),
  ],
])("%s is limited to the leading keys of a condition", (_, call, bodyOf) => {
  expect(isGranted(call, bodyOf("organization#2"))).toBe(true);
  expect(isGranted(call, bodyOf("key#hash"))).toBe(false);
  expect(isGranted(call, bodyOf("gateway-keys#organization#2"))).toBe(false);
});

test.each<[string, string, Record<string, unknown>]>([
  ["a scan", "Scan", {}],
  ["a query of an index", "Query", { IndexName: "by-time", ...query("pk = :pk", { ":pk": "organization#1" }) }],
  ["a query whose partition is not plain", "Query", query("#p = :pk", { ":pk": "organization#1" })],
])("%s has no leading keys that could satisfy a condition", (_, call, body) => {
  expect(isGranted(call, body)).toBe(false);
});

const scanOfNames = {
  effect: "Allow",
  actions: ["dynamodb:Scan"],
  resources: ["*"],
  conditions: {
    StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
    "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "plan"] },
    Null: { "dynamodb:Attributes": "false" },
  },
};
const specific = { Select: "SPECIFIC_ATTRIBUTES" };

test.each<[string, boolean, Record<string, unknown>]>([
  ["all attributes", false, {}],
  ["a count", false, { Select: "COUNT" }],
  ["attributes without saying so", false, { ProjectionExpression: "pk" }],
  ["no attribute by name", false, specific],
  ["another attribute", false, { ...specific, ProjectionExpression: "pk, email" }],
  [
    "another attribute by an alias",
    false,
    { ...specific, ProjectionExpression: "pk, #plan", ExpressionAttributeNames: { "#plan": "email" } },
  ],
  ["permitted ones", true, { ...specific, ProjectionExpression: "pk" }],
  [
    "permitted ones by alias",
    true,
    { ...specific, ProjectionExpression: "pk, #p", ExpressionAttributeNames: { "#p": "plan" } },
  ],
])("a scan of %s is limited to the attributes of a condition", (_, isPermitted, body) => {
  const needs = jsonCallPermissions("DynamoDB_20120810.Scan", { TableName: "access", ...body });

  expect(needs.map((need) => isAllowed([scanOfNames], need))).toEqual([isPermitted]);
});

test("keys of one action in a transaction have to satisfy one statement together, as those of a batch", () => {
  const needs = jsonCallPermissions("DynamoDB_20120810.TransactWriteItems", {
    TransactItems: ["audit#1", "project#1"].map((pk) => ({ Put: { TableName: "access", Item: key(pk) } })),
  });

  expect(needs).toHaveLength(1);
  expect(needs.map((need) => isAllowed([limitedTo("audit#*"), limitedTo("project#*")], need))).toEqual([false]);
});

test("a call outside of the function's leading keys is refused as DynamoDB refuses it", async () => {
  const access = arn("dynamodb", "table/access");
  const limited = { ...organizations, resources: [access] };
  const strict = await startGuard(service.url, new Map([["reader", [limited]]]), () => undefined);
  const client = new DynamoDBClient({
    endpoint: strict.url,
    region: "us-east-1",
    credentials: { accessKeyId: accessKeyOf("reader"), secretAccessKey: "local" },
    maxAttempts: 1,
  });
  const get = (pk: string) => client.send(new GetItemCommand({ TableName: "access", Key: { pk: { S: pk } } }));

  await expect(get("organization#1")).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  await expect(get("key#hash")).rejects.toMatchObject({
    name: "AccessDeniedException",
    message: `reader is not authorized to perform: dynamodb:GetItem on resource: ${access}`,
  });
  await strict.close();
});

test("a caller that checks its own calls sends an allowed one past the guard, and any other to it", async () => {
  const closedGuard = await startGuard(service.url, new Map([["reader", []]]), (denial) => denials.push(denial));
  const portOf = (url: string): number => Number(new URL(url).port);
  const allowed = { effect: "Allow", actions: ["dynamodb:GetItem"], resources: [table] };
  const ports = new Map([[portOf(closedGuard.url), portOf(service.url)]]);
  globalThis.directPortOf = (call) => directPort({ ports, policies: new Map([["reader", [allowed]]]) }, call);
  const credentials = { accessKeyId: accessKeyOf("reader"), secretAccessKey: "local" };
  const client = new DynamoDBClient({
    endpoint: closedGuard.url,
    region: "us-east-1",
    credentials,
    signer: new SignatureV4({ credentials, service: "dynamodb" }),
    maxAttempts: 1,
  });
  denials.length = 0;

  const reply = await client.send(new GetItemCommand({ TableName: "rows", Key }));
  const refused = client.send(new QueryCommand({ TableName: "rows" }));

  await expect(refused).rejects.toMatchObject({ name: "AccessDeniedException" });
  expect(reply.$metadata.httpStatusCode).toBe(200);
  expect(denials).toMatchObject([{ functionName: "reader", action: "dynamodb:Query" }]);
  globalThis.directPortOf = undefined;
  await closedGuard.close();
});
