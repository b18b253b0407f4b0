import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unscoped } from "../../../lib/domain/access/key-scope.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A store that does not mind how busy the machine is. */
const patientStore = (at: number) => apiKeyStore(database, () => at, 60_000);

const newOrganization = (): Promise<string> => accessStore(database, 10).createOrganization("Acme");

const stored = async (key: string): Promise<Record<string, unknown> | undefined> => {
  const Key = { pk: `key#${hashApiKey(key)}`, sk: "key" };
  return (await database.client.send(new GetCommand({ TableName: "access", Key }))).Item;
};

const listed = async (organization: string): Promise<readonly unknown[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "access",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": `organization#${organization}`, ":prefix": "api-key#" },
    }),
  );
  return Items;
};

test("a key is found by its hash and by its organization, and stands nowhere itself", async () => {
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
    scope: unscoped,
    maker: null,
    signIn: false,
  });
  expect(await stored(key)).toMatchObject({
    name: "Production",
    prefix: key.slice(0, 10),
    created_at: "2026-10-01T10:00:00+00:00",
  });
  expect(await listed(organization)).toEqual([
    {
      pk: `organization#${organization}`,
      sk: `api-key#${id}`,
      hash: hashApiKey(key),
      created_at: "2026-10-01T10:00:00+00:00",
    },
  ]);
  expect(JSON.stringify([await stored(key), await listed(organization)])).not.toContain(key.slice(0, 11));
});

test("a key that was not stored as a whole is not stored at all", async () => {
  const organization = await newOrganization();
  const own = faultyDatabase(
    database,
    once(({ operation }) => operation === "TransactWriteItems", "crash-before"),
  );

  await expect(apiKeyStore(own).create(organization, "lost")).rejects.toThrow("died");
  expect(await listed(organization)).toEqual([]);
});

test("a key knows when it expires", async () => {
  const keys = apiKeyStore(database, () => 1_800_000_000_000);
  const { key } = await keys.create(await newOrganization(), "short", 123);

  expect(await keys.find(hashApiKey(key))).toMatchObject({ expiresAt: 1_800_000_000_123 });
});

test("a revoked key stays revoked since the first time", async () => {
  const organization = await newOrganization();
  let now = Date.parse("2026-10-01T10:00:00Z");
  const keys = apiKeyStore(database, () => now);
  const { id, key } = await keys.create(organization, "a key");

  expect(await keys.revoke(organization, id)).toBe(true);
  now += 1000;
  expect(await keys.revoke(organization, id)).toBe(true);

  expect(await keys.find(hashApiKey(key))).toMatchObject({ revoked: true });
  expect(await stored(key)).toMatchObject({ revoked_at: "2026-10-01T10:00:00+00:00" });
});

test("only the key's own organization can revoke it", async () => {
  const keys = apiKeyStore(database);
  const { id, key } = await keys.create(await newOrganization(), "a key");

  expect(await keys.revoke(randomUUID(), id)).toBe(false);
  expect(await keys.revoke(randomUUID(), randomUUID())).toBe(false);
  expect(await keys.find(hashApiKey(key))).toMatchObject({ revoked: false });
});

test("fifty uses at a time are noted once", async () => {
  const now = Date.now();
  const { key } = await apiKeyStore(database).create(await newOrganization(), "a key");
  let written = 0;
  const keys = Array.from({ length: 50 }, (_, index) => patientStore(now + index));

  await Promise.all(
    keys.map(async (store) => {
      await store.noteUse(hashApiKey(key));
      written += 1;
    }),
  );

  const first = await stored(key);
  await patientStore(now + 299_000).noteUse(hashApiKey(key));
  expect(written).toBe(50);
  expect(await stored(key)).toEqual(first);
  await patientStore(now + 350_000).noteUse(hashApiKey(key));
  expect(await stored(key)).toEqual({ ...first, last_used_at: now + 350_000 });
});

test("a use does not bring back a key that is gone", async () => {
  const key = newApiKey();

  await patientStore(Date.now()).noteUse(hashApiKey(key));

  expect(await stored(key)).toBeUndefined();
});

test("a key is read strongly, with one request", async () => {
  const watched = watchedDatabase(database);
  await apiKeyStore(watched).find(hashApiKey(newApiKey()));

  expect(watched.calls.map(({ input }) => input["ConsistentRead"])).toEqual([true]);
  expect(watched.calls.every(isOn("GetItem", "access"))).toBe(true);
});
