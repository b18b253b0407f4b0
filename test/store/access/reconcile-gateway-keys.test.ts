import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";
import { findGatewayKeyRepairs } from "../../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { clientHolders } from "../../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../../lib/store/access/clients/gateway-keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { reconciliationTrigger } from "../../../lib/store/access/reconciliation.ts";
import { accessScan } from "../../../lib/store/access/scan.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { accessCursor, accessReconciliation, accessPageSize } from "../../../lib/maintenance/reconcile-access.ts";
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

const startTime = Date.now();
/** The clock of keys and passes stands still: keys of earlier tests stay young, and a pass with time never runs out of it. */
const now = () => startTime;
const hourAgo = () => startTime - 60 * minute;

/** A gateway key store without a stream consumer: every record is lost unless a test delivers it itself. */
const start = ({ pageSize = accessPageSize, most: maxKeys = 1_000_000, plan = "plan", keyTime = now } = {}) => {
  const store = gatewayKeyStore(database, plan, maxKeys, keyTime);
  const fake = fakeControlPlane();
  const sync = gatewayKeySync(store, fake.control, stage);
  const parts = { holders: clientHolders(database), states: clientStates(database, plan), sync, plan, maxKeys, now };
  const cursor = cursorStore(database, accessCursor);
  const pass = (budget = minute) =>
    accessReconciliation({
      scan: accessScan(database, pageSize),
      cursor,
      checks: [findGatewayKeyRepairs(parts)],
      now,
    })(now() + budget);
  return { store, sync, cursor, ...fake, pass };
};

const newKey = async (lifetime: number | null = null): Promise<string> =>
  `key#${(await apiKeyStore(database).create(organization, "k", lifetime)).id}`;
const actor = { kind: "user", userId: randomUUID() } as const;
const removeKey = (client: string) => apiKeyStore(database).remove(organization, client.slice(4), actor);
const join = (client: string) => accessStore(database, 10).addMember(organization, client.slice(5), "MEMBER");
const newMember = async (): Promise<string> => {
  const client = `user#${randomUUID()}`;
  await join(client);
  return client;
};
const leave = async (client: string): Promise<void> => {
  const members = memberStore(database);
  const membership = await members.find(organization, client.slice(5));
  if (membership !== null) await members.remove(membership, actor.userId);
};
const holding = (client: string, isHeld = true) => ({ client, organization, isHeld });
const valueOf = (client: string): string => gatewayKeyValue(stage, client);
const stateOf = async (client: string) => (await clientStates(database, "plan").of([client])).get(client) ?? null;

/** Completes all repairs that earlier tests left over, so that later passes do not count them. */
const repairEverything = async () => {
  const { pass } = start();
  for (let passes = 1; (await pass()).left; passes += 1)
    if (passes === 20) throw new Error("The repairs of earlier tests do not end.");
};

describe("a reconciliation pass", () => {
  beforeEach(repairEverything);

  test("creates the keys of an API key and of a member whose records were lost, once", async () => {
    const { pass, plannedValues, store } = start();
    const clients = [await newKey(), await newMember()];

    const [first, second] = [await pass(), await pass()];

    expect(plannedValues().toSorted()).toEqual(clients.map(valueOf).toSorted());
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
  ])("removes the gateway key of %s when the record was lost", async (_, come, go) => {
    const { pass, keys, sync } = start();
    const client = await come();
    await sync.apply(holding(client));
    await go(client);

    const { repaired } = await pass();

    expect([repaired, keys.size, await stateOf(client)]).toEqual([1, 0, null]);
  });

  test("keeps the key of a user who is still in one organization, and removes the other organization from its holders", async () => {
    const { pass, plannedValues, sync } = start();
    const client = await newMember();
    await sync.apply(holding(client));
    await sync.apply({ client, organization: randomUUID(), isHeld: true });

    await pass();

    expect([plannedValues(), (await stateOf(client))?.holders]).toEqual([[valueOf(client)], new Set([organization])]);
  });

  test("completes a half-created key and a half-withdrawn key", async () => {
    const { pass, plannedValues, keys, sync, store, control } = start();
    const [making, ending] = [await newKey(), await newKey()];
    await store.hold(making, organization);
    await control.createKey(`assay-${stage}-${making.replace("#", "-")}`, valueOf(making));
    await sync.apply(holding(ending));
    await removeKey(ending);
    await store.release(ending, organization);
    await store.withdraw(ending);

    await pass();

    expect([plannedValues(), keys.size, await stateOf(ending)]).toEqual([[valueOf(making)], 1, null]);
    expect((await stateOf(making))?.key).not.toBeNull();
  });

  test.each<readonly [string, string]>([
    ["were deleted in API Gateway", "plan"],
    ["are in the usage plan of another stack", "plan of the new stack"],
  ])("creates keys again that %s, once, and keeps clients on the shared key for a minute", async (_, plan) => {
    const clients = [await newKey(), await newMember()];
    const { sync } = start({ keyTime: hourAgo });
    for (const client of clients) await sync.apply(holding(client));
    const { pass, plannedValues, store } = start({ plan });

    const passes = [await pass(), await pass()];

    expect(passes).toMatchObject([
      { repaired: plannedValues().length, failed: 0, left: false },
      { repaired: 0, failed: 0, left: false },
    ]);
    // Clients of other tests may be in the other plan, too.
    expect(plannedValues()).toEqual(expect.arrayContaining(clients.map(valueOf)));
    for (const client of clients) {
      expect(await store.find(client)).toEqual({ value: valueOf(client), createdAt: now() });
    }
  });

  test("moves the clients of all pages to the shared key at once when their keys were deleted", async () => {
    const clients = await inTurn(Array.from({ length: 24 }), () => newKey());
    const { sync } = start({ keyTime: hourAgo });
    for (const client of clients) await sync.apply(holding(client));
    const { pass, plannedValues, store } = start({ pageSize: 30 });

    const report = await pass();

    const keys = await Promise.all(clients.map((client) => store.find(client)));
    expect(report).toMatchObject({ repaired: 20, left: true });
    expect(report.pages).toBeGreaterThan(4);
    expect(keys.flatMap((key) => key?.value ?? []).toSorted()).toEqual(plannedValues().toSorted());
  });

  test("repairs what else it finds while the plan's keys cannot be listed, and takes no key out of use", async () => {
    const [used, waiting] = [await newKey(), await newKey()];
    await start({ keyTime: hourAgo }).sync.apply(holding(used));
    const { pass, plannedValues, control, store } = start({ pageSize: 30 });
    control.planKeys = () => Promise.reject(new Error("throttled"));

    const report = await pass();

    expect([report.repaired, report.failures]).toEqual([1, [new Error("throttled")]]);
    expect([plannedValues(), (await store.find(used))?.value]).toEqual([[valueOf(waiting)], valueOf(used)]);
  });

  test("leaves a key alone that is younger than a minute, which the list of the plan's keys may lack", async () => {
    const client = await newKey();
    await start().sync.apply(holding(client));

    const { repaired } = await start().pass();

    expect([repaired, (await stateOf(client))?.key]).toEqual([0, expect.anything()]);
    await removeKey(client);
  });

  test("names the plan of keys from before plans were stored, without new keys", async () => {
    const { pass, sync, plane } = start();
    const client = await newKey();
    await sync.apply(holding(client));
    const key = (await stateOf(client))?.key;
    await database.client.send(
      new UpdateCommand({
        TableName: "access",
        Key: { pk: `client#${client}`, sk: "gateway-key" },
        UpdateExpression: "REMOVE #plan",
        ExpressionAttributeNames: { "#plan": "plan" },
      }),
    );
    const calls: string[] = [];
    plane.before = async (call) => void calls.push(call);

    const { repaired } = await pass();

    expect([repaired, calls, (await stateOf(client))?.key]).toEqual([0, [], key]);
  });

  test.each(["delivered", "lost"])(
    "keeps no key for a client that is removed while the key is created, whether the record is %s",
    async (fate) => {
      const { pass, keys, sync, plane } = start();
      const client = await newKey();
      let gone = false;
      plane.before = async (call) => {
        if (call !== "addToPlan" || gone) return;
        gone = true;
        await removeKey(client);
        if (fate === "delivered") await sync.apply(holding(client, false));
      };

      await pass();

      expect([gone, keys.size, await stateOf(client)]).toEqual([true, 0, null]);
    },
  );

  test.each(["delivered", "lost"])(
    "creates a key for a member who rejoins while the key is removed, whether the record is %s",
    async (fate) => {
      const { pass, plannedValues, sync, store, plane } = start();
      const client = await newMember();
      await sync.apply(holding(client));
      await leave(client);
      let back = false;
      plane.before = async (call) => {
        if (call !== "deleteKey" || back) return;
        back = true;
        await join(client);
        if (fate === "delivered") await sync.apply(holding(client));
      };

      await pass();

      expect([back, plannedValues(), (await store.find(client))?.value]).toEqual([
        true,
        [valueOf(client)],
        valueOf(client),
      ]);
      await leave(client);
    },
  );

  test("requests nothing when there is no room for another key", async () => {
    const { total } = (await clientStates(database, "plan").countKeys([]))(organization);
    const { pass, keys } = start({ most: total });
    await newKey();

    expect([await pass(), keys.size]).toMatchObject([{ repaired: 0, failed: 0, left: false }, 0]);
  });

  test("removes the key of an expired API key without a record, and creates none for an expired one", async () => {
    const { pass, keys, sync } = start();
    const [client, never] = [await newKey(1000), await newKey(-1000)];
    await sync.apply(holding(client));
    await new Promise((resolve) => void setTimeout(resolve, 1_100));

    const { repaired } = await pass();

    expect([repaired, keys.size, await stateOf(client), await stateOf(never)]).toEqual([1, 0, null, null]);
  });

  test("creates keys for clients on the shared key when there is room, within the organization's share", async () => {
    const { total } = (await clientStates(database, "plan").countKeys([]))(organization);
    const { pass, plannedValues, sync } = start({ most: total + 14 });
    const clients = await inTurn(Array.from({ length: 16 }), () => newKey());
    for (const client of clients) await sync.apply(holding(client));
    const full = plannedValues().length;
    const idle = await pass();
    for (const client of clients.slice(0, 3)) await removeKey(client);

    await pass();
    await pass();

    expect([full, idle.repaired, plannedValues().length]).toEqual([10, 0, 10]);
    expect(plannedValues()).toEqual(expect.arrayContaining(clients.slice(3, 10).map(valueOf)));
  });

  test("scans the table page by page to the end, and starts again", async () => {
    const { pass, cursor, plannedValues } = start({ pageSize: 4 });
    const [clients, places] = [await Promise.all(Array.from({ length: 12 }, () => newKey())), new Set<string | null>()];
    await cursor.set(null);

    // Without time, a pass is limited to one page and one repair, and stays on a page with repairs left.
    for (let isEnd = false; !isEnd;) {
      const report = await pass(-1);
      expect(report.pages).toBe(1);
      places.add(await cursor.get());
      isEnd = !report.left && (await cursor.get()) === null;
    }
    const lateKey = await newKey();
    // A pass ends after 20 pages, which the items of earlier tests may exceed.
    const rounds = [await pass()];
    while ((await cursor.get()) !== null) rounds.push(await pass());

    expect(places.size).toBeGreaterThan(5);
    expect(rounds[0]?.pages).toBeGreaterThan(5);
    expect(plannedValues().toSorted()).toEqual([...clients, lateKey].map(valueOf).toSorted());
  });

  test("repairs 20 items at a time, and continues with the unfinished page", async () => {
    const { pass, keys } = start();
    await Promise.all(Array.from({ length: 24 }, () => newKey()));

    const passes = [await pass(), await pass()];

    expect(passes).toMatchObject([
      { repaired: 20, left: true },
      { repaired: 4, left: false },
    ]);
    expect(keys.size).toBe(24);
  });

  test("stores its position before it works on a page, so that a page that kills the process is not repeated at once", async () => {
    const { pass, cursor, plane } = start({ pageSize: 4 });
    await Promise.all(Array.from({ length: 4 }, () => newKey()));
    const [places, isCursorAhead]: [(string | null)[], boolean[]] = [[null], []];
    plane.before = async () => void isCursorAhead.push((await cursor.get()) !== places.at(-1));
    await cursor.set(null);

    do {
      await pass(-1);
      places.push(await cursor.get());
    } while (places.at(-1) !== null);

    expect(isCursorAhead.length).toBeGreaterThan(0);
    expect(new Set(isCursorAhead)).toEqual(new Set([true]));
  });
});

test("an unreadable item or a failing repair does not block the repair of others", async () => {
  await repairEverything();
  const { pass, plannedValues, control } = start();
  const put = (Item: Record<string, unknown>) => database.client.send(new PutCommand({ TableName: "access", Item }));
  const [repairableMember, failingMember] = [await newMember(), await newMember()];
  await put({ pk: `key#${randomUUID()}`, sk: "key", name: "of nobody" });
  await put({ pk: "client#user#odd", sk: "gateway-key", holders: "everybody" });
  const createKey = control.createKey.bind(control);
  control.createKey = async (name, value) => {
    if (value === valueOf(failingMember)) throw new Error("API Gateway refuses the key.");
    return createKey(name, value);
  };

  const report = await pass();

  expect(report).toMatchObject({ repaired: 1, failed: 3, left: false });
  expect(report.failures).toHaveLength(3);
  expect(plannedValues()).toEqual([valueOf(repairableMember)]);
});

describe("the reconciliation trigger", () => {
  const hour = 60 * minute;

  test("fires once an hour for one of two concurrent callers, and otherwise costs one eventually consistent read", async () => {
    const clock = { now: Date.now() };
    const watched = watchedDatabase(database);
    const call = reconciliationTrigger(watched, () => clock.now);

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
