import { isAllowed } from "../../infra/local/iam/decision.ts";
import { DynamoDBClient, GetItemCommand, QueryCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenOnLoopback, type Endpoint } from "../../infra/local/host/loopback-server.ts";
import { accessKeyOf } from "../../infra/local/iam/access-key.ts";
import { directPort } from "../../infra/local/iam/direct-port.ts";
import { startGuard, type Denial } from "../../infra/local/iam/guard.ts";
import { jsonCallPermissions } from "../../infra/local/iam/json-permissions.ts";
import { SignatureV4 } from "../../infra/local/lambda/unsigned-requests.ts";
import { arn } from "../../infra/local/template/arn.ts";

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

test("a condition on the written keys allows keys with its prefix, and no others", () => {
  const statement = {
    effect: "Allow",
    actions: ["dynamodb:PutItem"],
    resources: ["*"],
    conditions: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": "audit#*" },
      Null: { "dynamodb:LeadingKeys": "false" },
    },
  };
  const puts = (pk: string) =>
    jsonCallPermissions("DynamoDB_20120810.PutItem", { TableName: "access", Item: { pk: { S: pk } } });
  const allowed = (needs: ReturnType<typeof jsonCallPermissions>) => needs.map((need) => isAllowed([statement], need));

  expect(allowed(puts("audit#organization"))).toEqual([true]);
  expect(allowed(puts("key#hash"))).toEqual([false]);
  expect(allowed(jsonCallPermissions("DynamoDB_20120810.PutItem", { TableName: "access" }))).toEqual([false]);
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
