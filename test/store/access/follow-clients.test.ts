import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { gatewayKeyValue } from "../../../lib/gateway-keys/client.ts";
import { followClients } from "../../../lib/gateway-keys/follow-clients.ts";
import { gatewayKeySync } from "../../../lib/gateway-keys/sync.ts";
import { clientHolders } from "../../../lib/store/access/clients/client-holders.ts";
import { gatewayKeyStore } from "../../../lib/store/access/clients/gateway-keys.ts";
import { parsePostponed, postponeClients } from "../../../lib/store/access/clients/postponed-clients.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { clientChangeFilters, isPostponement } from "../../../lib/stream/client-change.ts";
import { reconciliationFilters } from "../../../lib/stream/reconciliation.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { publishedLines } from "../../support/published-lines.ts";
import { fakeControlPlane } from "./fake-control-plane.ts";

const stage = "test";

let database: TestDatabase;
let stream: TableStream;
let organization: string;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  stream = await tableStream(database, "access");
});
beforeEach(async () => {
  organization = await accessStore(database, 1_000).createOrganization("Acme");
  await stream();
});
afterAll(() => database.close());

/** New records that the worker's mapping delivers. */
const newRecords = async (): Promise<readonly DynamoDBRecord[]> =>
  (await stream()).filter((record) => passesFilters(record, [...clientChangeFilters, ...reconciliationFilters]));

/** A worker for which each call of API Gateway takes 250 ms of its clock. */
const worker = () => {
  const fake = fakeControlPlane();
  let time = Date.now();
  let calls = 0;
  fake.plane.before = async () => {
    time += 250;
    calls += 1;
  };
  const now = () => time;
  const sync = gatewayKeySync(gatewayKeyStore(database, "plan", 1_000_000, now), fake.control, stage);
  const follow = followClients({ sync, holders: clientHolders(database), postpone: postponeClients(database), now });
  /** Delivers records. @returns the milliseconds that the batch took. */
  const deliver = async (records: readonly DynamoDBRecord[]): Promise<number> => {
    const begun = time;
    await follow(records);
    return time - begun;
  };
  return { ...fake, deliver, callCount: () => calls };
};

const join = async (count: number): Promise<readonly string[]> => {
  const users = Array.from({ length: count }, () => randomUUID());
  for (const user of users) await accessStore(database, 1_000).addMember(organization, user, "MEMBER");
  return users;
};
const leave = async (user: string): Promise<void> => {
  const members = memberStore(database);
  const membership = await members.find(organization, user);
  if (membership !== null) await members.remove(membership, randomUUID());
};
const valuesOf = (users: readonly string[]) => users.map((user) => gatewayKeyValue(stage, `user#${user}`)).toSorted();

describe("many new clients", () => {
  test("hold up a batch for two seconds, and all get one key each, in batches that follow", async () => {
    const { deliver, plannedValues, callCount } = worker();
    const users = await join(20);

    const times: number[] = [];
    for (let records = await newRecords(); records.length > 0; records = await newRecords())
      times.push(await deliver(records));

    expect(plannedValues().toSorted()).toEqual(valuesOf(users));
    expect(callCount()).toBe(40);
    expect(times).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  test("come again as one record, behind what was written meanwhile", async () => {
    const { deliver } = worker();
    await join(10);
    const records = await newRecords();
    const [late = ""] = await join(1);

    await deliver(records);

    const [lateRecord, ...postponements] = await newRecords();
    expect(lateRecord?.dynamodb?.Keys?.["sk"]?.S).toContain(late);
    expect(postponements.map(isPostponement)).toEqual([true]);
  });
});

test("a postponed client gets no key when it has left meanwhile, and one when it has come back", async () => {
  const { deliver, plannedValues } = worker();
  const users = await join(8);
  const [gone = "", back = ""] = users.slice(6);
  await deliver(await newRecords());
  const postponements = await newRecords();
  await leave(gone);
  await leave(back);
  await accessStore(database, 1_000).addMember(organization, back, "MEMBER");

  await deliver([...(await newRecords()), ...postponements]);

  expect(plannedValues().toSorted()).toEqual(valuesOf(users.filter((user) => user !== gone)));
});

test("a client that fails is left to the reconciliation and costs the others of its batch nothing", async () => {
  const { deliver, plane, plannedValues } = worker();
  const [, ...others] = await join(3);
  let isFirst = true;
  plane.before = async () => {
    if (!isFirst) return;
    isFirst = false;
    throw new Error("API Gateway is away.");
  };
  const records = await newRecords();

  const { lines } = await publishedLines(() => deliver(records));

  expect(plannedValues().toSorted()).toEqual(valuesOf(others));
  expect(await newRecords()).toEqual([]);
  expect(lines.map(({ event }) => event)).toEqual(["gateway_key_not_synced"]);
});

/** A worker that has no time for any client, and the holdings of the records that it leaves. */
const postponedBy = async (records: readonly DynamoDBRecord[], now: () => number): Promise<readonly string[][]> => {
  const fake = fakeControlPlane();
  const sync = gatewayKeySync(gatewayKeyStore(database, "plan", 1_000_000, now), fake.control, stage);
  await followClients({ sync, holders: clientHolders(database), postpone: postponeClients(database), now })(records);
  return (await newRecords()).map(({ dynamodb }) =>
    parsePostponed(dynamodb?.NewImage?.["holdings"]?.S).map(({ client }) => client),
  );
};
/** A clock of which each reading is a minute after the one before. */
const runningClock = () => {
  let time = Date.now();
  return () => (time += 60_000);
};

test("postponed clients are each listed once, again by the next batch without time, beside a record that is none of a client", async () => {
  const users = await join(3);
  const records = await newRecords();
  const unknown = { eventID: "x", dynamodb: { Keys: { pk: { S: "x" }, sk: { S: "x" } } } };

  const first = await postponedBy([...records, ...records], runningClock());
  const { result: again, lines } = await publishedLines(() =>
    postponedBy([...records, unknown, ...records], runningClock()),
  );

  const clients = users.map((user) => `user#${user}`);
  expect(first.map((list) => list.toSorted())).toEqual([clients.toSorted()]);
  expect(await again).toEqual(first);
  expect(lines).toMatchObject([{ event: "gateway_key_not_synced", stream_record: "x" }]);
});

test("more clients than one item holds are postponed in several, each once", async () => {
  const holdings = Array.from({ length: 1_001 }, (_, client) => ({ client: `user#${client}`, organization }));

  await postponeClients(database)(holdings);
  const lists = (await newRecords()).map(({ dynamodb }) => parsePostponed(dynamodb?.NewImage?.["holdings"]?.S));

  expect(lists.map(({ length }) => length)).toEqual([1_000, 1]);
  expect(lists.flat()).toEqual(holdings);
});
