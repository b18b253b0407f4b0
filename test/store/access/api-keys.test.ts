import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A key store with a request timeout of a minute, so that a busy machine does not fail the test. */
const storeWithLongTimeout = (at: number) => apiKeyStore(database, () => at, 60_000);

const newOrganization = (): Promise<string> => accessStore(database, 10).createOrganization("Acme");

const keyItem = async (key: string): Promise<Record<string, unknown> | undefined> => {
  const Key = { pk: `key#${hashApiKey(key)}`, sk: "key" };
  return (await database.client.send(new GetCommand({ TableName: "access", Key }))).Item;
};

const keyEntries = async (organization: string): Promise<readonly unknown[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "access",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": `organization#${organization}`, ":prefix": "api-key#" },
    }),
  );
  return Items;
};

test("a key is found by its hash and listed by its organization, and its secret is not stored", async () => {
  const [organization, now] = [await newOrganization(), Date.parse("2026-10-01T10:00:00Z")];
  const keys = apiKeyStore(database, () => now);

  const { id, key } = await keys.create(organization, "Production");

  expect(key).toMatch(/^sk_as_[0-9a-f]{64}$/);
  expect(await keys.find(hashApiKey(key))).toEqual({
    id,
    organizationId: organization,
    name: "Production",
    prefix: key.slice(0, 10),
    createdAt: "2026-10-01T10:00:00+00:00",
    expiresAt: null,
    lastUsedAt: null,
    revoked: false,
    scope: fullScope,
    maker: null,
    signIn: false,
  });
  expect(await keyItem(key)).toMatchObject({
    name: "Production",
    prefix: key.slice(0, 10),
    created_at: "2026-10-01T10:00:00+00:00",
  });
  expect(await keyEntries(organization)).toEqual([
    {
      pk: `organization#${organization}`,
      sk: `api-key#${id}`,
      hash: hashApiKey(key),
      created_at: "2026-10-01T10:00:00+00:00",
    },
  ]);
  expect(JSON.stringify([await keyItem(key), await keyEntries(organization)])).not.toContain(key.slice(0, 11));
});

test("a key whose transaction failed leaves no item", async () => {
  const organization = await newOrganization();
  const faultyDb = faultyDatabase(
    database,
    once(({ operation }) => operation === "TransactWriteItems", "crash-before"),
  );

  await expect(apiKeyStore(faultyDb).create(organization, "lost")).rejects.toThrow("died");
  expect(await keyEntries(organization)).toEqual([]);
});

test("a key with a lifetime has an expiry", async () => {
  const keys = apiKeyStore(database, () => 1_800_000_000_000);
  const { key } = await keys.create(await newOrganization(), "short", 123);

  expect(await keys.find(hashApiKey(key))).toMatchObject({ expiresAt: 1_800_000_000_123 });
});

test("a key that is revoked twice keeps the time of the first revocation", async () => {
  const organization = await newOrganization();
  let now = Date.parse("2026-10-01T10:00:00Z");
  const keys = apiKeyStore(database, () => now);
  const { id, key } = await keys.create(organization, "a key");

  expect(await keys.revoke(organization, id)).toBe(true);
  now += 1000;
  expect(await keys.revoke(organization, id)).toBe(true);

  expect(await keys.find(hashApiKey(key))).toMatchObject({ revoked: true });
  expect(await keyItem(key)).toMatchObject({ revoked_at: "2026-10-01T10:00:00+00:00" });
});

test("only the organization of a key can revoke it", async () => {
  const keys = apiKeyStore(database);
  const { id, key } = await keys.create(await newOrganization(), "a key");

  expect(await keys.revoke(randomUUID(), id)).toBe(false);
  expect(await keys.revoke(randomUUID(), randomUUID())).toBe(false);
  expect(await keys.find(hashApiKey(key))).toMatchObject({ revoked: false });
});

test("fifty concurrent uses of a key write its last use once", async () => {
  const now = Date.now();
  const { key } = await apiKeyStore(database).create(await newOrganization(), "a key");
  let recordedUses = 0;
  const keys = Array.from({ length: 50 }, (_, index) => storeWithLongTimeout(now + index));

  await Promise.all(
    keys.map(async (store) => {
      await store.recordUse(hashApiKey(key));
      recordedUses += 1;
    }),
  );

  const first = await keyItem(key);
  await storeWithLongTimeout(now + 299_000).recordUse(hashApiKey(key));
  expect(recordedUses).toBe(50);
  expect(await keyItem(key)).toEqual(first);
  await storeWithLongTimeout(now + 350_000).recordUse(hashApiKey(key));
  expect(await keyItem(key)).toEqual({ ...first, last_used_at: now + 350_000 });
});

test("a recorded use does not restore a deleted key", async () => {
  const key = newApiKey();

  await storeWithLongTimeout(Date.now()).recordUse(hashApiKey(key));

  expect(await keyItem(key)).toBeUndefined();
});

test("a key is found with one strongly consistent read", async () => {
  const watched = watchedDatabase(database);
  await apiKeyStore(watched).find(hashApiKey(newApiKey()));

  expect(watched.calls.map(({ input }) => input["ConsistentRead"])).toEqual([true]);
  expect(watched.calls.every(isOn("GetItem", "access"))).toBe(true);
});
