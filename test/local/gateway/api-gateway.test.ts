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
import { startApiGateway } from "../../../infra/local/api-gateway/api-gateway.ts";
import { openGatewayKeys } from "../../../infra/local/api-gateway/gateway-keys.ts";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { serveJson, ServiceError } from "../../../infra/local/host/json-server.ts";
import { accessKeyOf } from "../../../infra/local/iam/access-key.ts";
import { startGuard, type Denial } from "../../../infra/local/iam/guard.ts";
import { deleteLocalData } from "../../../infra/local/local-data.ts";
import { resolverOf } from "../../../infra/local/template/intrinsics.ts";
import { controlPlane } from "../../../lib/gateway-keys/control-plane.ts";
import { startFixture, temporaryDirectory } from "../../support/service/local-fixture.ts";
import { gatewayFixture } from "../../support/service/local-gateway.ts";

const Resources = { ...gatewayFixture.resources, Api: { Type: "AWS::ApiGateway::RestApi" } };
const value = "a".repeat(20);

/** A function signs what it asks: its role is found by that. */
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
  const create = (name: string, given = value) =>
    client.send(new CreateApiKeyCommand({ name, value: given, enabled: true }));
  return { service, client, create, directory };
};

test("a key is made, read with its value when asked for, and deleted", async () => {
  const { client, create } = await start();

  const made = await create("first");
  const read = await client.send(new GetApiKeyCommand({ apiKey: made.id, includeValue: true }));
  const bare = await client.send(new GetApiKeyCommand({ apiKey: made.id }));
  await client.send(new DeleteApiKeyCommand({ apiKey: made.id }));

  expect(made).toMatchObject({ id: expect.stringMatching(/^[a-z0-9]{10}$/), name: "first", value, enabled: true });
  expect(Math.abs((made.createdDate?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  expect([read.value, bare.value]).toEqual([value, undefined]);
  await expect(client.send(new GetApiKeyCommand({ apiKey: made.id }))).rejects.toBeInstanceOf(NotFoundException);
  await expect(client.send(new DeleteApiKeyCommand({ apiKey: made.id }))).rejects.toBeInstanceOf(NotFoundException);
});

test("a value that another key has is a conflict, one that is too short is no value", async () => {
  const { create } = await start();
  await create("first");

  await expect(create("second")).rejects.toBeInstanceOf(ConflictException);
  await expect(create("third", "short")).rejects.toBeInstanceOf(BadRequestException);
});

test("keys are listed by the beginning of their name, in pages, those of the template among them", async () => {
  const { client, create } = await start();
  for (const name of ["b2", "b1", "c"]) await create(name, name.padEnd(20, "x"));

  const all = await client.send(new GetApiKeysCommand({ includeValues: true }));
  const first = await client.send(new GetApiKeysCommand({ nameQuery: "b", limit: 1 }));
  const second = await client.send(new GetApiKeysCommand({ nameQuery: "b", limit: 1, position: first.position }));

  expect(all.items?.map((key) => key.value)).toContain("client1");
  expect([...(first.items ?? []), ...(second.items ?? [])].map(({ name }) => name)).toEqual(["b2", "b1"]);
  expect(second.position).toBeUndefined();
});

test("a key is put into a plan, once, and taken out", async () => {
  const { client, create } = await start();
  const { id } = await create("first");
  const key = { usagePlanId: "Plan", keyId: id, keyType: "API_KEY" };
  const inPlan = async () => (await client.send(new GetUsagePlanKeysCommand({ usagePlanId: "Plan" }))).items;

  const added = await client.send(new CreateUsagePlanKeyCommand(key));
  const between = await inPlan();
  const again = client.send(new CreateUsagePlanKeyCommand(key));
  await expect(again).rejects.toBeInstanceOf(ConflictException);
  await client.send(new DeleteUsagePlanKeyCommand(key));

  expect(added).toMatchObject({ id, type: "API_KEY", name: "first", value });
  expect(between?.map((key) => key.id)).toEqual(["Key", id]);
  expect((await inPlan())?.map((key) => key.id)).toEqual(["Key"]);
});

test.each([
  ["a plan", { usagePlanId: "None", keyId: "Key", keyType: "API_KEY" }],
  ["a key", { usagePlanId: "Plan", keyId: "none", keyType: "API_KEY" }],
])("%s that is not there is not found", async (_, given) => {
  const { client } = await start();

  await expect(client.send(new CreateUsagePlanKeyCommand(given))).rejects.toBeInstanceOf(NotFoundException);
});

test("a call that it does not do is refused, not ignored", async () => {
  const { client } = await start();

  const call = client.send(new UpdateApiKeyCommand({ apiKey: "Key", patchOperations: [] }));

  await expect(call).rejects.toThrow("The local API Gateway does not do PATCH /apikeys/Key.");
});

test("keys that were made are there after a restart, and gone with the local data", async () => {
  const { client, create, directory } = await start();
  const { id } = await create("first");
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  const again = openGatewayKeys(directory, resolverOf({ Resources }));
  deleteLocalData(directory);

  expect([again.planOf(value), again.planOf("client1")]).toEqual(["Plan", "Plan"]);
  expect(existsSync(join(directory, "gateway-keys.json"))).toBe(false);
});

test("a key that is not enabled opens no plan", async () => {
  const { client, directory } = await start();
  const { id } = await client.send(new CreateApiKeyCommand({ name: "off", value }));
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  expect(openGatewayKeys(directory, resolverOf({ Resources })).planOf(value)).toBeUndefined();
});

test("a client with a key made at run time has throttles of its own, until the key is deleted", async () => {
  const stack = await startFixture(gatewayFixture);
  const client = clientOf(stack.endpoints.API_GATEWAY);
  const call = (key: string) => fetch(`${stack.baseUrl}/limited`, { headers: { authorization: `allow ${key}` } });
  const before = await call(value);
  const { id = "" } = await client.send(new CreateApiKeyCommand({ name: "first", value, enabled: true }));
  const withoutPlan = await call(value);
  await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: "Plan", keyId: id, keyType: "API_KEY" }));

  const statuses = [];
  for (const key of [value, value, value, "client1"]) statuses.push((await call(key)).status);
  const refused = await call(value);
  await client.send(new DeleteApiKeyCommand({ apiKey: id }));
  const after = await call(value);

  expect([before.status, withoutPlan.status, after.status]).toEqual([403, 403, 403]);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect(refused.headers.get("retry-after")).toBe("1");
});

test("the service's control plane makes a key once, finds it among others and may delete it twice", async () => {
  const { service, client, create } = await start();
  const plane = controlPlane(
    clientOf(service.url),
    async () => "Plan",
    (call) => call(),
  );
  await create("mine-too", "x".repeat(20));

  const id = await plane.createKey("mine", value);
  const again = await plane.createKey("mine", value);
  await plane.addToPlan(id);
  await plane.addToPlan(id);
  const found = await plane.findKey("mine");
  const planned = await client.send(new GetUsagePlanKeysCommand({ usagePlanId: "Plan" }));
  await plane.deleteKey(id);
  await plane.deleteKey(id);

  expect([again, found, await plane.findKey("mine")]).toEqual([id, id, null]);
  expect(planned.items?.map((key) => key.id)).toContain(id);
});

test("a value that a key of another name has is not taken over", async () => {
  const { service, create } = await start();
  const plane = controlPlane(
    clientOf(service.url),
    async () => "Plan",
    (call) => call(),
  );
  await create("theirs");

  await expect(plane.createKey("mine", value)).rejects.toBeInstanceOf(ConflictException);
});

test("a control plane that is asked too much is asked again later, by whoever called", async () => {
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

test("a function is held to what its role allows on the control plane", async () => {
  const { service, create } = await start();
  const { id } = await create("first");
  const denials: Denial[] = [];
  const keys = "arn:aws:apigateway:us-east-1::/apikeys";
  const statements = [{ effect: "Allow", actions: ["apigateway:GET"], resources: [keys] }];
  const guard = await startGuard(service.url, new Map([["reader", statements]]), (denial) => denials.push(denial));
  onTestFinished(() => guard.close());
  const reader = clientOf(guard.url, "reader");

  const listed = await reader.send(new GetApiKeysCommand({ nameQuery: "first" }));
  const call = reader.send(new DeleteApiKeyCommand({ apiKey: id }));

  await expect(call).rejects.toMatchObject({ name: "AccessDeniedException" });
  expect(listed.items).toHaveLength(1);
  expect(denials).toEqual([{ functionName: "reader", action: "apigateway:DELETE", resource: `${keys}/${id}` }]);
});
