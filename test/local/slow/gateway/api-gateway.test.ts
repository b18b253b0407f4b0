import {
  APIGatewayClient,
  BadRequestException,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanKeysCommand,
  NotFoundException,
  TooManyRequestsException,
  UpdateApiKeyCommand,
} from "@aws-sdk/client-api-gateway";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startApiGateway } from "../../../../infra/local/api-gateway/api-gateway.ts";
import { openGatewayKeys } from "../../../../infra/local/api-gateway/gateway-keys.ts";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { writeJson } from "../../../../infra/local/host/json-file.ts";
import { serveJson, ServiceError } from "../../../../infra/local/host/json-server.ts";
import { accessKeyOf } from "../../../../infra/local/iam/access-key.ts";
import { startGuard, type Denial } from "../../../../infra/local/iam/guard.ts";
import { deleteLocalData } from "../../../../infra/local/local-data.ts";
import { resolverOf } from "../../../../infra/local/template/intrinsics.ts";
import { controlPlane } from "../../../../lib/gateway-keys/control-plane.ts";
import { startFixture, temporaryDirectory } from "../../../support/service/local-fixture.ts";
import { gatewayFixture } from "../../../support/service/local-gateway.ts";

const Resources = { ...gatewayFixture.resources, Api: { Type: "AWS::ApiGateway::RestApi" } };
const value = "a".repeat(20);

/** A client with the credentials of a function, whose role is found by its signature. */
const clientOf = (url: string, name = "test") => {
  const { signer: _, ...local } = localClient(url);
  return new APIGatewayClient({
    ...local,
    credentials: { accessKeyId: accessKeyOf(name), secretAccessKey: "local" },
    maxAttempts: 1,
  });
};

const start = async (directory = temporaryDirectory()) => {
  const service = await startApiGateway(openGatewayKeys(directory, resolverOf({ Resources })));
  onTestFinished(() => service.close());
  const client = clientOf(service.url);
  const create = (name: string, keyValue = value) =>
    client.send(new CreateApiKeyCommand({ name, value: keyValue, enabled: true }));
  return { service, client, create, directory };
};

test("a key is created, read with its value on request, and deleted", async () => {
  const { client, create } = await start();

  const createdKey = await create("first");
  const keyWithValue = await client.send(new GetApiKeyCommand({ apiKey: createdKey.id, includeValue: true }));
  const bare = await client.send(new GetApiKeyCommand({ apiKey: createdKey.id }));
  await client.send(new DeleteApiKeyCommand({ apiKey: createdKey.id }));

  expect(createdKey).toMatchObject({
    id: expect.stringMatching(/^[a-z0-9]{10}$/),
    name: "first",
    value,
    enabled: true,
  });
  expect(Math.abs((createdKey.createdDate?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  expect([keyWithValue.value, bare.value]).toEqual([value, undefined]);
  await expect(client.send(new GetApiKeyCommand({ apiKey: createdKey.id }))).rejects.toBeInstanceOf(NotFoundException);
  await expect(client.send(new DeleteApiKeyCommand({ apiKey: createdKey.id }))).rejects.toBeInstanceOf(
    NotFoundException,
  );
});

test("a value of another key is a conflict, and a value that is too short is refused", async () => {
  const { create } = await start();
  await create("first");

  await expect(create("second")).rejects.toBeInstanceOf(ConflictException);
  await expect(create("third", "short")).rejects.toBeInstanceOf(BadRequestException);
});

test("keys are listed by the prefix of their name, in pages, including keys of the template", async () => {
  const { client, create } = await start();
  for (const name of ["b2", "b1", "c"]) await create(name, name.padEnd(20, "x"));

  const allKeys = await client.send(new GetApiKeysCommand({ includeValues: true }));
  const first = await client.send(new GetApiKeysCommand({ nameQuery: "b", limit: 1 }));
  const second = await client.send(new GetApiKeysCommand({ nameQuery: "b", limit: 1, position: first.position }));

  expect(allKeys.items?.map((key) => key.value)).toContain("client1");
  expect([...(first.items ?? []), ...(second.items ?? [])].map(({ name }) => name)).toEqual(["b2", "b1"]);
  expect(second.position).toBeUndefined();
});

test("a key is added to a plan once, and removed", async () => {
  const { client, create } = await start();
  const { id } = await create("first");
  const key = { usagePlanId: "Plan", keyId: id, keyType: "API_KEY" };
  const inPlan = async () => (await client.send(new GetUsagePlanKeysCommand({ usagePlanId: "Plan" }))).items;

  const added = await client.send(new CreateUsagePlanKeyCommand(key));
  const between = await inPlan();
  const secondCall = client.send(new CreateUsagePlanKeyCommand(key));
  await expect(secondCall).rejects.toBeInstanceOf(ConflictException);
  await client.send(new DeleteUsagePlanKeyCommand(key));

  expect(added).toMatchObject({ id, type: "API_KEY", name: "first", value });
  expect(between?.map((key) => key.id)).toEqual(["Key", id]);
  expect((await inPlan())?.map((key) => key.id)).toEqual(["Key"]);
});

test.each([
  ["a plan", { usagePlanId: "None", keyId: "Key", keyType: "API_KEY" }],
  ["a key", { usagePlanId: "Plan", keyId: "none", keyType: "API_KEY" }],
])("a missing %s is not found", async (_, keyId) => {
  const { client } = await start();

  await expect(client.send(new CreateUsagePlanKeyCommand(keyId))).rejects.toBeInstanceOf(NotFoundException);
});

test("an unsupported call is refused, not ignored", async () => {
  const { client } = await start();

  const call = client.send(new UpdateApiKeyCommand({ apiKey: "Key", patchOperations: [] }));

  await expect(call).rejects.toThrow("The local API Gateway does not support PATCH /apikeys/Key.");
});

test("created keys survive a restart, and are deleted with the local data", async () => {
  const { client, create, directory } = await start();
  const { id } = await create("first");
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  const reopenedKeys = openGatewayKeys(directory, resolverOf({ Resources }));
  deleteLocalData(directory);

  expect([reopenedKeys.planOf(value), reopenedKeys.planOf("client1")]).toEqual(["Plan", "Plan"]);
  expect(existsSync(join(directory, "gateway-keys.json"))).toBe(false);
});

test("the stack's id survives a restart, is new without the file of keys, and constant for a file from before it had one", () => {
  const directory = temporaryDirectory();
  const stackId = () => {
    const resolver = resolverOf({ Resources });
    openGatewayKeys(directory, resolver);
    return resolver.resolve({ Ref: "AWS::StackId" });
  };
  const ids = [stackId(), stackId()];
  deleteLocalData(directory);
  ids.push(stackId());
  writeJson(join(directory, "gateway-keys.json"), { keys: [], plans: {} });

  expect([ids[1], new Set(ids).size, stackId()]).toEqual([ids[0], 2, "assay-local"]);
});

test("a disabled key opens no plan", async () => {
  const { client, directory } = await start();
  const { id } = await client.send(new CreateApiKeyCommand({ name: "off", value }));
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  expect(openGatewayKeys(directory, resolverOf({ Resources })).planOf(value)).toBeUndefined();
});

test("a client with a key created at run time has its own throttles, until the key is deleted", async () => {
  const stack = await startFixture(gatewayFixture);
  const client = clientOf(stack.endpoints.API_GATEWAY);
  const call = (key: string) => fetch(`${stack.baseUrl}/limited`, { headers: { authorization: `allow ${key}` } });
  const before = await call(value);
  const { id = "" } = await client.send(new CreateApiKeyCommand({ name: "first", value, enabled: true }));
  const withoutPlan = await call(value);
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  const statuses = [];
  for (const key of [value, value, value, "client1"]) statuses.push((await call(key)).status);
  const throttledReply = await call(value);
  await client.send(new DeleteApiKeyCommand({ apiKey: id }));
  const after = await call(value);

  expect([before.status, withoutPlan.status, after.status]).toEqual([403, 403, 403]);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect(throttledReply.headers.get("retry-after")).toBe("1");
});

test("the service's control-plane client creates a key once, finds it among others and may delete it twice", async () => {
  const { service, create } = await start();
  const plane = controlPlane(
    clientOf(service.url),
    async () => "Plan",
    (call) => call(),
  );
  await create("mine-too", "x".repeat(20));

  const id = await plane.createKey("mine", value);
  const secondKey = await plane.createKey("mine", value);
  await plane.addToPlan(id);
  await plane.addToPlan(id);
  const ownKey = await plane.findKey("mine");
  const planned = await plane.planKeys();
  await plane.deleteKey(id, "mine");
  await plane.deleteKey(id, "mine");

  expect([secondKey, ownKey, await plane.findKey("mine")]).toEqual([id, id, null]);
  expect(planned).toEqual(new Set(["Key", id]));
});

test("a value that belongs to a key of another name is not reused", async () => {
  const { service, create } = await start();
  const plane = controlPlane(
    clientOf(service.url),
    async () => "Plan",
    (call) => call(),
  );
  await create("theirs");

  await expect(plane.createKey("mine", value)).rejects.toBeInstanceOf(ConflictException);
});

test("a throttled control-plane call is retried later, for any caller", async () => {
  const busy = await serveJson(() => {
    throw new ServiceError("TooManyRequestsException", "Too Many Requests", 429);
  });
  onTestFinished(() => busy.close());
  const plane = controlPlane(
    clientOf(busy.url),
    async () => "Plan",
    (call) => call(),
  );

  await expect(plane.createKey("mine", value)).rejects.toBeInstanceOf(TooManyRequestsException);
});

test("a function may make only the control-plane calls that its role allows", async () => {
  const { service, create } = await start();
  const { id } = await create("first");
  const denials: Denial[] = [];
  const keys = "arn:aws:apigateway:us-east-1::/apikeys";
  const statements = [{ effect: "Allow", actions: ["apigateway:GET"], resources: [keys] }];
  const guard = await startGuard(service.url, new Map([["reader", statements]]), (denial) => denials.push(denial));
  onTestFinished(() => guard.close());
  const reader = clientOf(guard.url, "reader");

  const keysPage = await reader.send(new GetApiKeysCommand({ nameQuery: "first" }));
  const call = reader.send(new DeleteApiKeyCommand({ apiKey: id }));

  await expect(call).rejects.toMatchObject({ name: "AccessDeniedException" });
  expect(keysPage.items).toHaveLength(1);
  expect(denials).toEqual([{ functionName: "reader", action: "apigateway:DELETE", resource: `${keys}/${id}` }]);
});

test("a role that may delete keys with its tags deletes its own once and again, and no other key", async () => {
  const keys = openGatewayKeys(temporaryDirectory(), resolverOf({ Resources }));
  const service = await startApiGateway(keys);
  onTestFinished(() => service.close());
  const keysArn = "arn:aws:apigateway:us-east-1::/apikeys";
  const conditions = { StringEquals: { "aws:ResourceTag/service": "assay", "aws:ResourceTag/stage": "prod" } };
  const statements = [
    { effect: "Allow", actions: ["apigateway:GET", "apigateway:POST"], resources: [keysArn] },
    { effect: "Allow", actions: ["apigateway:DELETE"], resources: [`${keysArn}/*`], conditions },
  ];
  const guard = await startGuard(service.url, new Map([["worker", statements]]), () => undefined, keys.tagsOf);
  onTestFinished(() => guard.close());
  const planeWith = (tags: Readonly<Record<string, string>>) =>
    controlPlane(
      clientOf(guard.url, "worker"),
      async () => "Plan",
      (call) => call(),
      tags,
    );
  const plane = planeWith({ service: "assay", stage: "prod", team: "agents" });
  const create = (name: string, tags: Readonly<Record<string, string>>) =>
    planeWith(tags).createKey(name, name.padEnd(20, "x"));
  const ownId = await plane.createKey("own", value);
  const foreign = [
    ["untagged", await create("untagged", {})],
    ["stage", await create("stage", { service: "assay", stage: "dev" })],
    ["service", await create("service", { service: "other", stage: "prod" })],
  ] as const;

  await plane.deleteKey(ownId, "own");
  await plane.deleteKey(ownId, "own");
  for (const [name, id] of foreign) {
    await expect(plane.deleteKey(id, name)).rejects.toMatchObject({ name: "AccessDeniedException" });
    // An id of this stage's table that is another one's key in this account.
    await plane.deleteKey(id, "own");
  }

  expect(await plane.findKey("own")).toBeNull();
  for (const [name, id] of foreign) expect(await plane.findKey(name)).toBe(id);
});
