import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";
import { gatewayKeyLook } from "../../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { clientHolders } from "../../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../../lib/store/access/clients/gateway-keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { reconciliationCalling } from "../../../lib/store/access/reconciliation.ts";
import { accessScan } from "../../../lib/store/access/scan.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { accessPlace, accessReconciliation, itemsOfPage } from "../../../lib/upkeep/reconcile-access.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { inTurn } from "../../support/in-turn.ts";
import { fakeControlPlane } from "./fake-control-plane.ts";

const stage = "test";
const minute = 60_000;

let database: TestDatabase;
let organization: string;
beforeAll(async () => {
  database = await startDatabase();
});
beforeEach(async () => {
  organization = await accessStore(database, 10).createOrganization("Acme");
});
afterAll(() => database.close());

/** Gateway keys whose stream nobody follows: every record is lost that a test does not deliver itself. */
const start = ({ pageSize = itemsOfPage, most = 1_000_000 } = {}) => {
  const store = gatewayKeyStore(database, most);
  const fake = fakeControlPlane();
  const sync = gatewayKeySync(store, fake.control, stage);
  const parts = { holders: clientHolders(database), states: clientStates(database), sync, most };
  const cursor = cursorStore(database, accessPlace);
  const pass = accessReconciliation({
    scan: accessScan(database, pageSize),
    cursor,
    looks: [gatewayKeyLook(parts)],
    now: Date.now,
  });
  return { store, sync, cursor, ...fake, pass: (budget = minute) => pass(Date.now() + budget) };
};

const newKey = async (lifetime: number | null = null): Promise<string> =>
  `key#${(await apiKeyStore(database).create(organization, "k", lifetime)).id}`;
const by = { kind: "user", userId: randomUUID() } as const;
const removeKey = (client: string) => apiKeyStore(database).remove(organization, client.slice(4), by);
const join = (client: string) => accessStore(database, 10).addMember(organization, client.slice(5), "MEMBER");
const newMember = async (): Promise<string> => {
  const client = `user#${randomUUID()}`;
  await join(client);
  return client;
};
const leave = async (client: string): Promise<void> => {
  const members = memberStore(database);
  const membership = await members.find(organization, client.slice(5));
  if (membership !== null) await members.remove(membership, by.userId);
};
const held = (client: string, isHeld = true) => ({ client, organization, held: isHeld });
const valueOf = (client: string): string => gatewayKeyValue(stage, client);
const stateOf = async (client: string) => (await clientStates(database).of([client])).get(client) ?? null;

/** Ends all that is left of the test before, so that it takes no repair of the next. */
const settled = async () => {
  const { pass } = start();
  while ((await pass()).left);
};

describe("a pass over who may do what", () => {
  beforeEach(settled);

  test("makes the keys of an API key and of a member whose records were lost, once", async () => {
    const { pass, known, store } = start();
    const clients = [await newKey(), await newMember()];

    const [first, second] = [await pass(), await pass()];

    expect(known().toSorted()).toEqual(clients.map(valueOf).toSorted());
    expect((await store.find(clients[0] ?? ""))?.value).toBe(valueOf(clients[0] ?? ""));
    expect([first, second]).toMatchObject([
      { repaired: 2, failed: 0, left: false },
      { repaired: 0, failed: 0, left: false },
    ]);
  });

  test.each<readonly [string, () => Promise<string>, (client: string) => Promise<unknown>]>([
    ["an API key that was removed", newKey, removeKey],
    ["one that was revoked", newKey, (client) => apiKeyStore(database).revoke(organization, client.slice(4))],
    ["a member who left", newMember, leave],
  ])("removes the key of %s, of which the record was lost", async (_, come, go) => {
    const { pass, keys, sync } = start();
    const client = await come();
    await sync.apply(held(client));
    await go(client);

    const { repaired } = await pass();

    expect([repaired, keys.size, await stateOf(client)]).toEqual([1, 0, null]);
  });

  test("leaves a user their key whom another organization has, and forgets the one that has them no more", async () => {
    const { pass, known, sync } = start();
    const client = await newMember();
    await sync.apply(held(client));
    await sync.apply({ client, organization: randomUUID(), held: true });

    await pass();

    expect([known(), (await stateOf(client))?.holders]).toEqual([[valueOf(client)], new Set([organization])]);
  });

  test("goes on with what was broken off: a key half made, one half withdrawn", async () => {
    const { pass, known, keys, sync, store, control } = start();
    const [making, ending] = [await newKey(), await newKey()];
    await store.hold(making, organization);
    await control.createKey(`assay-${stage}-${making.replace("#", "-")}`, valueOf(making));
    await sync.apply(held(ending));
    await removeKey(ending);
    await store.release(ending, organization);
    await store.withdraw(ending);

    await pass();

    expect([known(), keys.size, await stateOf(ending)]).toEqual([[valueOf(making)], 1, null]);
    expect(await stateOf(making)).toMatchObject({ made: true });
  });

  test.each(["delivered", "lost"])(
    "does not keep the key of who goes while it is made, the record %s",
    async (fate) => {
      const { pass, keys, sync, plane } = start();
      const client = await newKey();
      let gone = false;
      plane.before = async (call) => {
        if (call !== "addToPlan" || gone) return;
        gone = true;
        await removeKey(client);
        if (fate === "delivered") await sync.apply(held(client, false));
      };

      await pass();

      expect([gone, keys.size, await stateOf(client)]).toEqual([true, 0, null]);
    },
  );

  test.each(["delivered", "lost"])(
    "gives who comes back while the key is removed a key, the record %s",
    async (fate) => {
      const { pass, known, sync, store, plane } = start();
      const client = await newMember();
      await sync.apply(held(client));
      await leave(client);
      let back = false;
      plane.before = async (call) => {
        if (call !== "deleteKey" || back) return;
        back = true;
        await join(client);
        if (fate === "delivered") await sync.apply(held(client));
      };

      await pass();

      expect([back, known(), (await store.find(client))?.value]).toEqual([true, [valueOf(client)], valueOf(client)]);
      await leave(client);
    },
  );

  test("asks for nothing where there is no room for another key", async () => {
    const { total } = (await clientStates(database).taken([]))(organization);
    const { pass, keys } = start({ most: total });
    await newKey();

    expect([await pass(), keys.size]).toMatchObject([{ repaired: 0, failed: 0, left: false }, 0]);
  });

  test("gives back the key of an API key that has expired, of which no record came, and makes none for one that has", async () => {
    const { pass, keys, sync } = start();
    const [client, never] = [await newKey(1000), await newKey(-1000)];
    await sync.apply(held(client));
    await new Promise((resolve) => void setTimeout(resolve, 1_100));

    const { repaired } = await pass();

    expect([repaired, keys.size, await stateOf(client), await stateOf(never)]).toEqual([1, 0, null, null]);
  });

  test("tries those on the shared key again when there is room: an organization's share of it", async () => {
    const { total } = (await clientStates(database).taken([]))(organization);
    const { pass, known, sync } = start({ most: total + 14 });
    const clients = await inTurn(Array.from({ length: 16 }), () => newKey());
    for (const client of clients) await sync.apply(held(client));
    const full = known().length;
    const idle = await pass();
    for (const client of clients.slice(0, 3)) await removeKey(client);

    await pass();
    await pass();

    expect([full, idle.repaired, known().length]).toEqual([10, 0, 10]);
    expect(known()).toEqual(expect.arrayContaining(clients.slice(3, 10).map(valueOf)));
  });

  test("comes to the end of the table page by page, and begins again", async () => {
    const { pass, cursor, known } = start({ pageSize: 7 });
    const [clients, places] = [await Promise.all(Array.from({ length: 12 }, () => newKey())), new Set<string | null>()];
    await cursor.set(null);

    // Without time a pass is a page and a repair.
    do {
      expect((await pass(-1)).pages).toBe(1);
      places.add(await cursor.get());
    } while (!places.has(null));
    const late = await newKey();
    const round = await pass();

    expect(places.size).toBeGreaterThan(5);
    expect(round.pages).toBeGreaterThan(5);
    expect(known().toSorted()).toEqual([...clients, late].map(valueOf).toSorted());
  });

  test("mends 20 things at a time, and goes on with the page that it has not done with", async () => {
    const { pass, keys } = start();
    await Promise.all(Array.from({ length: 24 }, () => newKey()));

    const passes = [await pass(), await pass()];

    expect(passes).toMatchObject([
      { repaired: 20, left: true },
      { repaired: 4, left: false },
    ]);
    expect(keys.size).toBe(24);
  });

  test("has noted its place before it works on a page, so that what kills it is not met at once again", async () => {
    const { pass, cursor, plane } = start({ pageSize: 4 });
    await Promise.all(Array.from({ length: 4 }, () => newKey()));
    const [places, seen]: [(string | null)[], boolean[]] = [[null], []];
    plane.before = async () => void seen.push((await cursor.get()) !== places.at(-1));
    await cursor.set(null);

    do {
      await pass(-1);
      places.push(await cursor.get());
    } while (places.at(-1) !== null);

    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([true]));
  });
});

test("what cannot be read, or mended, keeps nobody else from being mended", async () => {
  await settled();
  const { pass, known, control } = start();
  const put = (Item: Record<string, unknown>) => database.client.send(new PutCommand({ TableName: "access", Item }));
  const [good, refused] = [await newMember(), await newMember()];
  await put({ pk: `key#${randomUUID()}`, sk: "key", name: "of nobody" });
  await put({ pk: "client#user#odd", sk: "gateway-key", holders: "everybody" });
  const createKey = control.createKey.bind(control);
  control.createKey = async (name, value) => {
    if (value === valueOf(refused)) throw new Error("API Gateway does not want it.");
    return createKey(name, value);
  };

  const report = await pass();

  expect(report).toMatchObject({ repaired: 1, failed: 3, left: false });
  expect(report.failures).toHaveLength(3);
  expect(known()).toEqual([valueOf(good)]);
});

describe("the call to reconcile", () => {
  const hour = 60 * minute;

  test("is made once an hour, by one of two who come at once, and is a read of half a unit else", async () => {
    const clock = { now: Date.now() };
    const watched = watchedDatabase(database);
    const call = reconciliationCalling(watched, () => clock.now);

    const first = await Promise.all([call(), call()]);
    watched.calls.length = 0;
    clock.now += hour - 1;
    const second = await call();
    const calls = watched.calls.map(({ operation, input }) => [operation, input["ConsistentRead"] ?? false]);
    clock.now += 1;

    expect(first.filter(({ reconciliationCalled }) => reconciliationCalled)).toHaveLength(1);
    expect([second.reconciliationCalled, calls]).toEqual([false, [["GetItem", false]]]);
    expect(await call()).toEqual({ reconciliationCalled: true });
  });
});
