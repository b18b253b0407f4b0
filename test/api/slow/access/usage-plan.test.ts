import { APIGatewayClient, DeleteApiKeyCommand, GetApiKeysCommand } from "@aws-sdk/client-api-gateway";
import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { issuerName } from "../../../../infra/local/issuer.ts";
import { deriveUserId } from "../../../../lib/authorizer/bearer-token.ts";
import { listTraceMetrics } from "../../../../lib/contract/metrics/metric-lists.ts";
import { hashApiKey } from "../../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { gatewayKeyName } from "../../../../lib/gateway-keys/client.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { gatewayKeyKey, reconciliationKey } from "../../../../lib/store/access/keys.ts";
import type { Database } from "../../../../lib/dynamo/database.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

/** Factor of the limits: 2 requests a second and 4 at once for a client, ten times as much for the shared key. */
const limitFactor = 0.02;

describe("the usage plan, over HTTP,", () => {
  let service: RunningService;
  let gateway: APIGatewayClient;
  let database: Database;

  beforeAll(async () => {
    service = await startService({ limitFactor, checkGrants: true });
    gateway = new APIGatewayClient(localClient(service.stack.endpoints.API_GATEWAY));
    database = databaseOf(service);
  });

  afterAll(async () => {
    gateway.destroy();
    await service.close();
  });

  const clientOfKey = async (apiKey: string): Promise<string> =>
    `key#${(await apiKeyStore(database).find(hashApiKey(apiKey)))?.id}`;

  /** Returns the id of the client's gateway key, or undefined when there is none. */
  const gatewayKeyOf = async (client: string): Promise<string | undefined> => {
    const nameQuery = gatewayKeyName("local", client);
    return (await gateway.send(new GetApiKeysCommand({ nameQuery }))).items?.[0]?.id;
  };

  const newKey = async (): Promise<string> =>
    (await apiKeyStore(database).create(service.stack.credentials.organizationId, "another")).key;

  /** A new API key whose gateway key is backdated so that it is in use: a test cannot wait until it is that old. */
  const agedKey = async () => {
    const apiKey = await newKey();
    const client = await clientOfKey(apiKey);
    const id = await eventually(() => gatewayKeyOf(client));
    await eventually(async () => {
      const aging = new UpdateCommand({
        TableName: database.table("access"),
        Key: { pk: `client#${client}`, sk: "gateway-key" },
        UpdateExpression: "SET created_at = :before",
        ConditionExpression: "attribute_exists(created_at)",
        ExpressionAttributeValues: { ":before": instantAt(Date.now() - 61_000) },
      });
      return database.client.send(aging).catch(() => undefined);
    });
    return { id, name: client, client: newProject(service, { ...service.tenant, apiKey }) };
  };

  const atOnce = (client: ReturnType<typeof newProject>, count: number) =>
    Promise.all(Array.from({ length: count }, () => client.call(listTraceMetrics)));

  test("has a gateway key for every API key and every user", async () => {
    const user = `user#${deriveUserId(issuerName, service.stack.credentials.userId)}`;
    const clients = [await clientOfKey(service.tenant.apiKey), await clientOfKey(service.stranger.apiKey), user];

    const ids = await Promise.all(clients.map((client) => eventually(() => gatewayKeyOf(client))));

    expect(new Set(ids).size).toBe(3);
    expect(service.stack.denials).toEqual([]);
  });

  test("meters new clients by the shared key, which does not limit a single client", async () => {
    const replies = await atOnce(newProject(service), 8);

    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });

  test("limits a client by a key of its own, and says when to retry", async () => {
    const { client } = await agedKey();

    const replies = await atOnce(client, 24);

    const refusals = replies.filter(({ status }) => status !== 200);
    expect(refusals.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refusals) {
      expect([status, headers["retry-after"], headers["ratelimit"]]).toEqual([429, "1", '"gateway";r=0;t=1']);
      expect(body).toEqual({ detail: "Too many requests. Try again in 1 second." });
    }
    expect((await newProject(service).call(listTraceMetrics)).status).toBe(200);
  });

  test("refuses a key that the gateway does not know with an error of the service's shape", async () => {
    const { id, client } = await agedKey();
    await gateway.send(new DeleteApiKeyCommand({ apiKey: id }));

    const { status, body } = await client.call(listTraceMetrics);

    expect([status, body]).toEqual([403, { detail: "This client is not known to the gateway yet. Try again." }]);
  });

  test("creates keys again that were taken away while the tables stayed, and serves a client of another plan meanwhile", async () => {
    const [deleted, moved] = [await agedKey(), await agedKey()];
    const TableName = database.table("access");
    const toOtherPlan = new UpdateCommand({
      TableName,
      Key: gatewayKeyKey(moved.name),
      UpdateExpression: "SET #plan = :plan",
      ExpressionAttributeNames: { "#plan": "plan" },
      ExpressionAttributeValues: { ":plan": "plan of another Region" },
    });
    await database.client.send(toOtherPlan);
    for (const { id } of [deleted, moved]) await gateway.send(new DeleteApiKeyCommand({ apiKey: id }));
    const meanwhile = await moved.client.call(listTraceMetrics);

    await database.client.send(new PutCommand({ TableName, Item: { ...reconciliationKey, next_at: 0 } }));
    for (const { name } of [deleted, moved]) await eventually(() => gatewayKeyOf(name));
    const replies = [await deleted.client.call(listTraceMetrics), await moved.client.call(listTraceMetrics)];

    expect([meanwhile, ...replies].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(service.stack.denials).toEqual([]);
  });

  test("removes the gateway key of an API key that is revoked", async () => {
    const apiKey = await newKey();
    const client = await clientOfKey(apiKey);
    await eventually(() => gatewayKeyOf(client));

    await apiKeyStore(database).revoke(service.stack.credentials.organizationId, client.slice("key#".length));

    const gone = await eventually(async () => ((await gatewayKeyOf(client)) === undefined ? true : undefined));
    expect(gone).toBe(true);
    expect(service.stack.denials).toEqual([]);
  });

  test("restores a lost gateway key when the sweeper runs", async () => {
    const client = await clientOfKey(await newKey());
    const id = await eventually(() => gatewayKeyOf(client));
    const TableName = database.table("access");
    await database.client.send(new DeleteCommand({ TableName, Key: gatewayKeyKey(client) }));
    await gateway.send(new DeleteApiKeyCommand({ apiKey: id }));

    await database.client.send(new PutCommand({ TableName, Item: { ...reconciliationKey, next_at: 0 } }));
    for (const name of service.stack.scheduled) await service.stack.functions.invoke(name, {});

    expect(await eventually(() => gatewayKeyOf(client))).not.toBe(id);
    expect(service.stack.denials).toEqual([]);
  });

  test("keeps its keys over a restart", async () => {
    const client = await clientOfKey(service.tenant.apiKey);
    const before = await gatewayKeyOf(client);

    await service.stack.restart();
    gateway = new APIGatewayClient(localClient(service.stack.endpoints.API_GATEWAY));

    expect(before).toMatch(/^[a-z0-9]{10}$/);
    expect(await gatewayKeyOf(client)).toBe(before);
    expect((await newProject(service).call(listTraceMetrics)).status).toBe(200);
  });
});
