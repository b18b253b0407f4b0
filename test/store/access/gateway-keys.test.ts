import { LimitExceededException } from "@aws-sdk/client-api-gateway";
import { GetCommand, UpdateCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { meteringKeys } from "../../../lib/authorizer/usage-key.ts";
import { gatewayKeyName, gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { gatewayKeyQuota, canAddGatewayKey } from "../../../lib/domain/access/gateway-key-quota.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { gatewayKeyShareKey } from "../../../lib/store/access/keys.ts";
import { gatewayKeyStore } from "../../../lib/store/access/clients/gateway-keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Call } from "../../support/faults/fault-kind.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { fakeControlPlane } from "./fake-control-plane.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const stage = "test";
const newClient = (): string => `key#${randomUUID()}`;
const change = (client: string, isHeld: boolean, organization = "o") => ({ client, organization, isHeld });

type Sync = (change: { client: string; organization: string; isHeld: boolean }) => Promise<void>;

const start = (maxKeys = 1_000_000, connection: Database = database, plan = "plan") => {
  const store = gatewayKeyStore(connection, plan, maxKeys);
  const fake = fakeControlPlane();
  return { store, ...fake, sync: gatewayKeySync(store, fake.control, stage).apply };
};

const itemOf = async (client: string) => {
  const Key = { pk: `client#${client}`, sk: "gateway-key" };
  return (await database.client.send(new GetCommand({ TableName: "access", Key }))).Item;
};
const count = async (): Promise<number> => {
  const Key = { pk: "gateway-keys", sk: "count" };
  const { Item } = await database.client.send(new GetCommand({ TableName: "access", Key }));
  return Number(Item?.["n"] ?? 0);
};

/** Keys that are counted in the quota of an organization; undefined without a counter. */
const shareOf = async (organization: string): Promise<unknown> => {
  const Key = gatewayKeyShareKey(organization);
  return (await database.client.send(new GetCommand({ TableName: "access", Key, ConsistentRead: true }))).Item?.["n"];
};

describe("a client's gateway key", () => {
  test("is created in the usage plan, stored with its id and value, and counted", async () => {
    const { sync, store, plannedValues, keys } = start();
    const client = newClient();
    const before = await count();

    await sync(change(client, true));

    const value = gatewayKeyValue(stage, client);
    expect(plannedValues()).toEqual([value]);
    expect([...keys.values()]).toMatchObject([{ name: gatewayKeyName(stage, client) }]);
    expect(await store.find(client)).toMatchObject({ value });
    expect(await itemOf(client)).toMatchObject({ id: [...keys.keys()][0], value, created_at: expect.any(String) });
    expect(await count()).toBe(before + 1);
  });

  test("is not created while other stages fill the account, without holding up the batch, and is once there is room", async () => {
    const { sync, store, plane, plannedValues } = start();
    const client = newClient();
    plane.before = async () => {
      throw new LimitExceededException({ message: "API key limit exceeded.", $metadata: {} });
    };

    await sync(change(client, true));
    const whileFull = [await store.find(client), plannedValues()];
    plane.before = async () => undefined;
    await sync(change(client, true));

    expect(whileFull).toEqual([null, []]);
    expect(plannedValues()).toEqual([gatewayKeyValue(stage, client)]);
  });

  test("frees its place in the organization's share when it is given back, and removes an empty share", async () => {
    const { sync } = start();
    const organization = randomUUID();
    const [first, second] = [newClient(), newClient()];
    const share = () => shareOf(organization);

    for (const client of [first, second]) await sync(change(client, true, organization));
    const shareOfBoth = await share();
    await sync(change(first, false, organization));
    const shareOfOne = await share();
    await sync(change(second, false, organization));

    expect([shareOfBoth, shareOfOne, await share()]).toEqual([2, 1, undefined]);
  });

  test("is charged to another organization of its client when the client leaves the charged one, which keeps no counter", async () => {
    const { sync } = start();
    const client = newClient();
    const [formerOrganization, otherOrganization] = [randomUUID(), randomUUID()];
    const shares = () => Promise.all([formerOrganization, otherOrganization].map(shareOf));
    await sync(change(client, true, formerOrganization));
    await sync(change(client, true, otherOrganization));
    const before = await shares();

    await sync(change(client, false, formerOrganization));

    expect([before, await shares()]).toEqual([
      [1, undefined],
      [undefined, 1],
    ]);
    expect(await itemOf(client)).toMatchObject({ charged: otherOrganization, holders: new Set([otherOrganization]) });
    await sync(change(client, false, otherOrganization));
    expect([await shares(), await itemOf(client)]).toEqual([[undefined, undefined], undefined]);
  });

  test("is created once however often its record is delivered", async () => {
    const { sync, plannedValues } = start();
    const client = newClient();
    const before = await count();

    await Promise.all([sync(change(client, true)), sync(change(client, true))]);
    const createdAt = (await itemOf(client))?.["created_at"];
    await sync(change(client, true));

    expect(plannedValues()).toHaveLength(1);
    expect(await count()).toBe(before + 1);
    expect((await itemOf(client))?.["created_at"]).toBe(createdAt);
  });

  test("is removed with the client, and its place in the count is free again", async () => {
    const { sync, store, plannedValues } = start();
    const client = newClient();
    const before = await count();
    await sync(change(client, true));

    await sync(change(client, false));
    await sync(change(client, false));

    expect([plannedValues(), await store.find(client), await itemOf(client)]).toEqual([[], null, undefined]);
    expect(await count()).toBe(before);
  });

  test("is no longer in use when the gateway deletes it", async () => {
    const { sync, store, plane } = start();
    const client = newClient();
    await sync(change(client, true));
    const keysDuringDeletion: unknown[] = [];
    plane.before = async () => void keysDuringDeletion.push(await store.find(client));

    await sync(change(client, false));

    expect(keysDuringDeletion).toEqual([null]);
  });

  test("of a user stays until the last organization releases it", async () => {
    const { sync, plannedValues } = start();
    const user = `user#${randomUUID()}`;
    await sync(change(user, true, "a"));
    await sync(change(user, true, "b"));

    await sync(change(user, false, "a"));
    const between = plannedValues();
    await sync(change(user, false, "b"));

    expect(between).toEqual([gatewayKeyValue(stage, user)]);
    expect(plannedValues()).toEqual([]);
  });

  test("exists in the end when one organization adds the user while another one releases them", async () => {
    const { sync, store, plannedValues, plane } = start();
    const user = `user#${randomUUID()}`;
    const before = await count();
    await sync(change(user, true, "a"));
    let isAddedToOther = false;
    plane.before = async (call) => {
      if (call !== "deleteKey" || isAddedToOther) return;
      isAddedToOther = true;
      await sync(change(user, true, "b"));
    };

    await sync(change(user, false, "a"));

    const value = gatewayKeyValue(stage, user);
    expect([plannedValues(), (await store.find(user))?.value, await count()]).toEqual([[value], value, before + 1]);
  });

  test("exists in the end when the process that releases it dies after deleting the withdrawn key", async () => {
    const { sync, store, control, plannedValues } = start();
    const user = `user#${randomUUID()}`;
    await sync(change(user, true, "a"));
    await store.release(user, "a");
    const id = await store.withdraw(user);

    await sync(change(user, true, "b"));
    await control.deleteKey(String(id), gatewayKeyName(stage, user));
    await sync(change(user, false, "a"));

    expect(plannedValues()).toEqual([(await store.find(user))?.value]);
  });

  test("does not exist in the end when the client is removed while its key is created", async () => {
    const { sync, store, keys, plane } = start();
    const client = newClient();
    const before = await count();
    let gone = false;
    plane.before = async (call) => {
      if (call !== "addToPlan" || gone) return;
      gone = true;
      await store.release(client, "o");
    };

    await sync(change(client, true));

    expect([keys.size, await itemOf(client), await count()]).toEqual([0, undefined, before]);
  });

  test("is created again when its item names another plan, and a key of that plan is not deleted by its id", async () => {
    const old = start();
    const [moved, removed] = [newClient(), newClient()];
    for (const client of [moved, removed]) await old.sync(change(client, true));
    const before = await count();
    const { sync, store, control, keys, plannedValues } = start(undefined, undefined, "plan of the new stack");
    // The new control plane assigns the same ids, to keys of others.
    await control.createKey("another stage's", "value");

    await sync(change(moved, true));
    await sync(change(removed, false));

    expect([...keys.values()].map(({ name }) => name)).toEqual(["another stage's", gatewayKeyName(stage, moved)]);
    expect([plannedValues(), (await store.find(moved))?.value, await old.store.find(moved)]).toEqual([
      [gatewayKeyValue(stage, moved)],
      gatewayKeyValue(stage, moved),
      null,
    ]);
    expect([await itemOf(removed), await count()]).toEqual([undefined, before - 1]);
  });

  test("is not created when an unknown client is released", async () => {
    const { sync, keys } = start();
    const before = await count();

    await sync(change(newClient(), false));

    expect([keys.size, await count()]).toEqual([0, before]);
  });
});

describe("a process that dies at any request", () => {
  /** Syncs with a process that dies at its nth request, then with one that does not. @returns the resulting numbers of keys. */
  const dieAndRepeat = async (isHeld: boolean, nth: number, kind: "crash-before" | "crash-after") => {
    const client = newClient();
    const before = await count();
    const fake = fakeControlPlane();
    const syncWith = (connection: Database) =>
      gatewayKeySync(gatewayKeyStore(connection, "plan", 1_000_000), fake.control, stage).apply;
    if (!isHeld) await syncWith(database)(change(client, true));
    let requestsBeforeDeath = nth;
    const dying = faultyDatabase(database, (call: Call) => {
      if (call.operation.includes("(")) return null;
      requestsBeforeDeath -= 1;
      return requestsBeforeDeath === 0 ? kind : null;
    });
    await Promise.allSettled([syncWith(dying)(change(client, isHeld))]);
    await syncWith(database)(change(client, isHeld));
    const plannedCount = fake.plannedValues().length;
    return {
      crashed: dying.crashed,
      plannedValues: plannedCount,
      all: fake.keys.size,
      counted: (await count()) - before,
    };
  };

  test.each(["crash-before", "crash-after"] as const)(
    "(%s) leaves no state that a retry does not repair",
    async (kind) => {
      // The first request of a new client is a read that finds nothing: a crash after it leaves nothing.
      for (const nth of kind === "crash-after" ? [2, 3] : [1, 2, 3]) {
        expect(await dieAndRepeat(true, nth, kind)).toEqual({ crashed: true, plannedValues: 1, all: 1, counted: 1 });
      }
      for (const nth of [1, 2, 3]) {
        expect(await dieAndRepeat(false, nth, kind)).toEqual({ crashed: true, plannedValues: 0, all: 0, counted: 0 });
      }
    },
  );

  test("is retried after the control plane refuses, too", async () => {
    const { sync, plannedValues, plane } = start();
    const client = newClient();
    plane.before = () => Promise.reject(new Error("TooManyRequestsException"));
    await expect(sync(change(client, true))).rejects.toThrow("TooManyRequests");
    plane.before = async () => undefined;

    await sync(change(client, true));

    expect(plannedValues()).toEqual([gatewayKeyValue(stage, client)]);
  });
});

test("the number of keys never exceeds the maximum, and a freed place is used again", async () => {
  const maxKeys = (await count()) + 3;
  const { sync: apply, store, plannedValues } = start(maxKeys);
  // Each client has an organization of its own, so that no share is exhausted.
  const sync: Sync = (clientChange) => apply({ ...clientChange, organization: clientChange.client });
  const clients = Array.from({ length: 10 }, newClient);

  await Promise.all(clients.map((client) => sync(change(client, true))));
  const hasKey = await Promise.all(clients.map(async (client) => (await store.find(client)) !== null));
  const keysAtLimit = plannedValues().length;
  await sync(change(clients[hasKey.indexOf(true)] ?? "", false));
  await sync(change(clients[hasKey.indexOf(false)] ?? "", true));

  expect([keysAtLimit, plannedValues().length, await count()]).toEqual([3, 3, maxKeys]);
});

describe("the key quota of the deployment", () => {
  const newOrganizationId = () => `o-${randomUUID()}`;
  const addClients = async (sync: Sync, organization: string, many: number) => {
    const clients = Array.from({ length: many }, newClient);
    for (const client of clients) await sync(change(client, true, organization));
    return clients;
  };
  const countWithKey = async (clients: readonly string[]): Promise<number> =>
    (await Promise.all(clients.map(itemOf))).filter((item) => item !== undefined).length;

  test("is not available to one organization alone: the first keys of another one are created", async () => {
    const { sync } = start((await count()) + 20);
    const [greedy, modest] = [newOrganizationId(), newOrganizationId()];

    const greedyClients = await addClients(sync, greedy, 20);
    const modestClients = await addClients(sync, modest, 3);

    expect([await countWithKey(greedyClients), await countWithKey(modestClients)]).toEqual([10, 3]);
    for (const client of [...greedyClients, ...modestClients])
      await sync(change(client, false, client === modestClients[0] ? modest : greedy));
  });

  test("allows one organization a tenth of it, and reserves the last fifth for organizations with few keys", async () => {
    expect([
      canAddGatewayKey(gatewayKeyQuota(9_000), 8_999, 9),
      canAddGatewayKey(gatewayKeyQuota(9_000), 9_000, 0),
    ]).toEqual([true, false]);
    expect([7_199, 7_200].map((total) => canAddGatewayKey(gatewayKeyQuota(9_000), total, 10))).toEqual([true, false]);
    expect(
      [899, 900].map((organizationKeys) => canAddGatewayKey(gatewayKeyQuota(9_000), 100, organizationKeys)),
    ).toEqual([true, false]);
  });

  test("gives an organization one place back for a released key, even if it is released twice", async () => {
    const { sync } = start((await count()) + 20);
    const organization = newOrganizationId();
    const [firstClient = "", ...otherClients] = await addClients(sync, organization, 10);
    const refusedClient = newClient();
    await sync(change(refusedClient, true, organization));

    await sync(change(firstClient, false, organization));
    await sync(change(firstClient, false, organization));
    await sync(change(refusedClient, true, organization));
    const lateClient = newClient();
    await sync(change(lateClient, true, organization));

    expect(await countWithKey([firstClient, ...otherClients, refusedClient, lateClient])).toBe(10);
  });

  test("gets the place back of a key from before the shares existed", async () => {
    const { sync, store } = start();
    const client = newClient();
    const before = await count();
    await sync(change(client, true));
    await database.client.send(
      new UpdateCommand({
        TableName: "access",
        Key: { pk: `client#${client}`, sk: "gateway-key" },
        UpdateExpression: "REMOVE charged",
      }),
    );

    await sync(change(client, false));

    expect([await store.find(client), await itemOf(client), await count()]).toEqual([null, undefined, before]);
  });
});

describe("the key that meters a caller", () => {
  const shared = "shared";
  const minute = 60_000;
  const caller = () => ({ kind: "key", keyId: randomUUID(), organizationId: "o" }) as const;

  /** A caller whose gateway key was activated at time 0. */
  const withKey = async () => {
    const principal = caller();
    const client = `key#${principal.keyId}`;
    const store = gatewayKeyStore(database, "plan", 1_000_000, () => 0);
    await store.hold(client, "o");
    await store.activate(client, "id", "own");
    return { principal, client, store };
  };

  const at = (first: number, connection: Database = database, plan = "plan") => {
    const clock = { time: first };
    return { clock, usageKey: meteringKeys(connection, shared, plan, () => clock.time) };
  };

  test.each([
    [0, shared],
    [minute - 1, shared],
    [minute, "own"],
  ])("after %d ms is %s", async (time, key) => {
    const { principal } = await withKey();

    expect(await at(time).usageKey(principal)).toBe(key);
  });

  test("becomes the caller's own exactly one minute after its activation", async () => {
    const { principal } = await withKey();
    const { clock, usageKey } = at(minute / 2);
    const early = await usageKey(principal);

    clock.time = minute;

    expect([early, await usageKey(principal)]).toEqual([shared, "own"]);
  });

  test("is read once a minute, also when the caller has none", async () => {
    const { principal } = await withKey();
    const watched = watchedDatabase(database);
    const { clock, usageKey } = at(minute, watched);
    const stranger = caller();

    for (const time of [minute, 2 * minute - 1, 2 * minute]) {
      clock.time = time;
      expect([await usageKey(principal), await usageKey(stranger)]).toEqual(["own", shared]);
    }

    expect(watched.calls.map(({ operation }) => operation)).toEqual(Array.from({ length: 4 }, () => "GetItem"));
  });

  test("is the shared key at the latest one minute after the caller's key was withdrawn", async () => {
    const { principal, client, store } = await withKey();
    const { clock, usageKey } = at(minute);
    const before = await usageKey(principal);
    await store.release(client, "o");
    await store.withdraw(client);

    clock.time = 2 * minute;

    expect([before, await usageKey(principal)]).toEqual(["own", shared]);
  });

  test("of a user is the same in every organization", async () => {
    const [userId, store] = [randomUUID(), gatewayKeyStore(database, "plan", 1_000_000, () => 0)];
    await store.hold(`user#${userId}`, "o");
    await store.activate(`user#${userId}`, "id", "user's");

    expect(await at(minute).usageKey({ kind: "user", userId })).toBe("user's");
  });

  test("is the shared key while the table cannot be read, and the caller's key five seconds later", async () => {
    const { principal } = await withKey();
    const weather = { bad: true };
    const faultyDb = faultyDatabase(database, () => (weather.bad ? "server-error" : null));
    const { clock, usageKey } = at(minute, faultyDb);
    const during = await usageKey(principal);
    weather.bad = false;

    clock.time += 5_000;

    expect([during, await usageKey(principal)]).toEqual([shared, "own"]);
  });

  test("is the shared key when the caller's key is in another usage plan, as in a table of another stack", async () => {
    const { principal } = await withKey();

    const usageKey = await at(minute, database, "plan of another Region").usageKey(principal);

    expect([usageKey, await at(minute).usageKey(principal)]).toEqual([shared, "own"]);
  });

  test("does not wait for a table that does not answer", async () => {
    const silent = await listenOnLoopback(createServer(() => undefined));
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(silent.url)));
    onTestFinished(() => silent.close());

    const key = await at(minute, { client, table: (name) => name }).usageKey(caller());

    expect(key).toBe(shared);
  }, 4_000);
});
