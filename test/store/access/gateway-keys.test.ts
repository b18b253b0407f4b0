import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { usageKeys } from "../../../lib/authorizer/usage-key.ts";
import { gatewayKeyName, gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { gatewayKeyRoom, hasRoom } from "../../../lib/domain/access/gateway-key-room.ts";
import type { Database } from "../../../lib/store/database.ts";
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
const change = (client: string, held: boolean, organization = "o") => ({ client, organization, held });

type Sync = (given: { client: string; organization: string; held: boolean }) => Promise<void>;

const start = (most = 1_000_000, own: Database = database) => {
  const store = gatewayKeyStore(own, most);
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

describe("a client's gateway key", () => {
  test("is made in the clients' plan, noted with its id and value, and counted", async () => {
    const { sync, store, known, keys } = start();
    const client = newClient();
    const before = await count();

    await sync(change(client, true));

    const value = gatewayKeyValue(stage, client);
    expect(known()).toEqual([value]);
    expect([...keys.values()]).toMatchObject([{ name: gatewayKeyName(stage, client) }]);
    expect(await store.find(client)).toMatchObject({ value });
    expect(await itemOf(client)).toMatchObject({ id: [...keys.keys()][0], value, created_at: expect.any(String) });
    expect(await count()).toBe(before + 1);
  });

  test("given back leaves nothing of its organization, and no more than the others' places where it has others", async () => {
    const { sync } = start();
    const organization = randomUUID();
    const [first, second] = [newClient(), newClient()];
    const share = async (): Promise<unknown> => {
      const { Item } = await database.client.send(
        new GetCommand({ TableName: "access", Key: gatewayKeyShareKey(organization), ConsistentRead: true }),
      );
      return Item?.["n"];
    };

    for (const client of [first, second]) await sync(change(client, true, organization));
    const both = await share();
    await sync(change(first, false, organization));
    const one = await share();
    await sync(change(second, false, organization));

    expect([both, one, await share()]).toEqual([2, 1, undefined]);
  });

  test("is made once however often the record comes", async () => {
    const { sync, known } = start();
    const client = newClient();
    const before = await count();

    await Promise.all([sync(change(client, true)), sync(change(client, true))]);
    const createdAt = (await itemOf(client))?.["created_at"];
    await sync(change(client, true));

    expect(known()).toHaveLength(1);
    expect(await count()).toBe(before + 1);
    expect((await itemOf(client))?.["created_at"]).toBe(createdAt);
  });

  test("goes with the client, and the place is free again", async () => {
    const { sync, store, known } = start();
    const client = newClient();
    const before = await count();
    await sync(change(client, true));

    await sync(change(client, false));
    await sync(change(client, false));

    expect([known(), await store.find(client), await itemOf(client)]).toEqual([[], null, undefined]);
    expect(await count()).toBe(before);
  });

  test("is out of use before the gateway forgets it", async () => {
    const { sync, store, plane } = start();
    const client = newClient();
    await sync(change(client, true));
    const seen: unknown[] = [];
    plane.before = async () => void seen.push(await store.find(client));

    await sync(change(client, false));

    expect(seen).toEqual([null]);
  });

  test("of a user stays until the last organization has let go", async () => {
    const { sync, known } = start();
    const user = `user#${randomUUID()}`;
    await sync(change(user, true, "a"));
    await sync(change(user, true, "b"));

    await sync(change(user, false, "a"));
    const between = known();
    await sync(change(user, false, "b"));

    expect(between).toEqual([gatewayKeyValue(stage, user)]);
    expect(known()).toEqual([]);
  });

  test("is there in the end when an organization takes the user while another one lets go", async () => {
    const { sync, store, known, plane } = start();
    const user = `user#${randomUUID()}`;
    const before = await count();
    await sync(change(user, true, "a"));
    let taken = false;
    plane.before = async (call) => {
      if (call !== "deleteKey" || taken) return;
      taken = true;
      await sync(change(user, true, "b"));
    };

    await sync(change(user, false, "a"));

    const value = gatewayKeyValue(stage, user);
    expect([known(), (await store.find(user))?.value, await count()]).toEqual([[value], value, before + 1]);
  });

  test("is there, too, when the one that lets go dies after deleting what it withdrew", async () => {
    const { sync, store, control, known } = start();
    const user = `user#${randomUUID()}`;
    await sync(change(user, true, "a"));
    await store.release(user, "a");
    const id = await store.withdraw(user);

    await sync(change(user, true, "b"));
    await control.deleteKey(String(id));
    await sync(change(user, false, "a"));

    expect(known()).toEqual([(await store.find(user))?.value]);
  });

  test("is not there in the end when the client goes while its key is made", async () => {
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

  test("is not made for a client that nobody knew", async () => {
    const { sync, keys } = start();
    const before = await count();

    await sync(change(newClient(), false));

    expect([keys.size, await count()]).toEqual([0, before]);
  });
});

describe("a process that dies at any request", () => {
  /** Syncs with a process that dies at its nth request, and then again with one that does not. */
  const dieAndRepeat = async (held: boolean, nth: number, kind: "crash-before" | "crash-after") => {
    const client = newClient();
    const before = await count();
    const fake = fakeControlPlane();
    const syncWith = (own: Database) => gatewayKeySync(gatewayKeyStore(own, 1_000_000), fake.control, stage).apply;
    if (!held) await syncWith(database)(change(client, true));
    let left = nth;
    const dying = faultyDatabase(database, (call: Call) => {
      if (call.operation.includes("(")) return null;
      left -= 1;
      return left === 0 ? kind : null;
    });
    await Promise.allSettled([syncWith(dying)(change(client, held))]);
    await syncWith(database)(change(client, held));
    const known = fake.known().length;
    return { died: dying.crashed, known, all: fake.keys.size, counted: (await count()) - before };
  };

  test.each(["crash-before", "crash-after"] as const)(
    "(%s) leaves nothing that a repetition does not mend",
    async (kind) => {
      // The first request of a new client is refused: there is nothing that it could leave.
      for (const nth of kind === "crash-after" ? [2, 3] : [1, 2, 3]) {
        expect(await dieAndRepeat(true, nth, kind)).toEqual({ died: true, known: 1, all: 1, counted: 1 });
      }
      for (const nth of [1, 2, 3]) {
        expect(await dieAndRepeat(false, nth, kind)).toEqual({ died: true, known: 0, all: 0, counted: 0 });
      }
    },
  );

  test("is repeated after the control plane refused, too", async () => {
    const { sync, known, plane } = start();
    const client = newClient();
    plane.before = () => Promise.reject(new Error("TooManyRequestsException"));
    await expect(sync(change(client, true))).rejects.toThrow("TooManyRequests");
    plane.before = async () => undefined;

    await sync(change(client, true));

    expect(known()).toEqual([gatewayKeyValue(stage, client)]);
  });
});

test("no more keys are made than there may be, and a place that is given up is taken", async () => {
  const most = (await count()) + 3;
  const { sync: apply, store, known } = start(most);
  // Of organizations that have few.
  const sync: Sync = (given) => apply({ ...given, organization: given.client });
  const clients = Array.from({ length: 10 }, newClient);

  await Promise.all(clients.map((client) => sync(change(client, true))));
  const held = await Promise.all(clients.map(async (client) => (await store.find(client)) !== null));
  const full = known().length;
  await sync(change(clients[held.indexOf(true)] ?? "", false));
  await sync(change(clients[held.indexOf(false)] ?? "", true));

  expect([full, known().length, await count()]).toEqual([3, 3, most]);
});

describe("the places of all tenants", () => {
  const organizationOf = () => `o-${randomUUID()}`;
  const take = async (sync: Sync, organization: string, many: number) => {
    const clients = Array.from({ length: many }, newClient);
    for (const client of clients) await sync(change(client, true, organization));
    return clients;
  };
  const having = async (clients: readonly string[]): Promise<number> =>
    (await Promise.all(clients.map(itemOf))).filter((item) => item !== undefined).length;

  test("are not all one organization's: another one's first keys are made", async () => {
    const { sync } = start((await count()) + 20);
    const [greedy, modest] = [organizationOf(), organizationOf()];

    const taken = await take(sync, greedy, 20);
    const first = await take(sync, modest, 3);

    expect([await having(taken), await having(first)]).toEqual([10, 3]);
    for (const client of [...taken, ...first]) await sync(change(client, false, client === first[0] ? modest : greedy));
  });

  test("are a tenth for one that has many, and the last fifth for those that have few", async () => {
    expect([hasRoom(gatewayKeyRoom(9_000), 8_999, 9), hasRoom(gatewayKeyRoom(9_000), 9_000, 0)]).toEqual([true, false]);
    expect([7_199, 7_200].map((total) => hasRoom(gatewayKeyRoom(9_000), total, 10))).toEqual([true, false]);
    expect([899, 900].map((own) => hasRoom(gatewayKeyRoom(9_000), 100, own))).toEqual([true, false]);
  });

  test("are an organization's again when its key is given back, once", async () => {
    const { sync } = start((await count()) + 20);
    const own = organizationOf();
    const [first = "", ...others] = await take(sync, own, 10);
    const refused = newClient();
    await sync(change(refused, true, own));

    await sync(change(first, false, own));
    await sync(change(first, false, own));
    await sync(change(refused, true, own));
    const late = newClient();
    await sync(change(late, true, own));

    expect(await having([first, ...others, refused, late])).toBe(10);
  });

  test("of keys from before there were shares are given back, too", async () => {
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

  /** A caller whose gateway key was made at 0. */
  const withKey = async () => {
    const principal = caller();
    const client = `key#${principal.keyId}`;
    const store = gatewayKeyStore(database, 1_000_000, () => 0);
    await store.hold(client, "o");
    await store.made(client, "id", "own");
    return { principal, client, store };
  };

  const at = (first: number, own: Database = database) => {
    const clock = { time: first };
    return { clock, usageKey: usageKeys(own, shared, () => clock.time) };
  };

  test.each([
    [0, shared],
    [minute - 1, shared],
    [minute, "own"],
  ])("after %d ms is %s", async (time, key) => {
    const { principal } = await withKey();

    expect(await at(time).usageKey(principal)).toBe(key);
  });

  test("becomes the caller's own on the very minute", async () => {
    const { principal } = await withKey();
    const { clock, usageKey } = at(minute / 2);
    const early = await usageKey(principal);

    clock.time = minute;

    expect([early, await usageKey(principal)]).toEqual([shared, "own"]);
  });

  test("is read once a minute, also when there is none", async () => {
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

  test("is the shared one a minute after the own one was withdrawn, at the latest", async () => {
    const { principal, client, store } = await withKey();
    const { clock, usageKey } = at(minute);
    const before = await usageKey(principal);
    await store.release(client, "o");
    await store.withdraw(client);

    clock.time = 2 * minute;

    expect([before, await usageKey(principal)]).toEqual(["own", shared]);
  });

  test("of a user is the same in every organization", async () => {
    const [userId, store] = [randomUUID(), gatewayKeyStore(database, 1_000_000, () => 0)];
    await store.hold(`user#${userId}`, "o");
    await store.made(`user#${userId}`, "id", "user's");

    expect(await at(minute).usageKey({ kind: "user", userId })).toBe("user's");
  });

  test("is the shared one while the table cannot be read, and the own one soon after", async () => {
    const { principal } = await withKey();
    const weather = { bad: true };
    const own = faultyDatabase(database, () => (weather.bad ? "server-error" : null));
    const { clock, usageKey } = at(minute, own);
    const during = await usageKey(principal);
    weather.bad = false;

    clock.time += 5_000;

    expect([during, await usageKey(principal)]).toEqual([shared, "own"]);
  });

  test("does not wait for a table that does not answer", async () => {
    const silent = await listenOnLoopback(createServer(() => undefined));
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(silent.url)));
    onTestFinished(() => silent.close());

    const key = await at(minute, { client, table: (name) => name }).usageKey(caller());

    expect(key).toBe(shared);
  }, 4_000);
});
