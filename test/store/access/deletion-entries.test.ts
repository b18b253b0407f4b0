import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionEntryKey, deletionKey, organizationPartition, userPartition } from "../../../lib/store/access/keys.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { deletionEntries } from "../../../lib/store/deletion/entries.ts";
import { deletionWrites, openDeletionKey } from "../../../lib/store/deletion/writes.ts";
import { accessItems } from "../../../lib/store/access/items.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-11-22T09:00:00Z");
const now = () => start;

const itemAt = async (Key: { readonly pk: string; readonly sk: string }) =>
  (await database.client.send(new GetCommand({ TableName: "access", Key }))).Item;

const requestDeletion = async (kind: "PROJECT" | "ORGANIZATION") => {
  const deletion = {
    id: randomUUID(),
    kind,
    name: "shop",
    organizationId: randomUUID(),
    requestedBy: randomUUID(),
    requestedAt: "2026-11-22T09:00:00+00:00",
  };
  await accessItems(database).write(deletionWrites(deletion));
  const partition =
    kind === "PROJECT" ? organizationPartition(deletion.organizationId) : userPartition(deletion.requestedBy);
  return { deletion, entry: deletionEntryKey(partition, deletion.id) };
};

test.each(["PROJECT", "ORGANIZATION"] as const)(
  "the list entry of a closed deletion (%s) expires with its receipt",
  async (kind) => {
    const { deletion, entry } = await requestDeletion(kind);
    const deletions = deletionStore(database, now);
    const claimed = await deletions.claim(deletion.id);
    if (claimed === null) throw new Error("The deletion cannot be claimed.");

    expect(await deletions.close(claimed)).toBe(true);

    const ttl = start / 1000 + 400 * 86_400;
    expect([await itemAt(entry), await itemAt(deletionKey(deletion.id))]).toMatchObject([{ ttl }, { ttl }]);
    expect(await itemAt(openDeletionKey(deletion.id))).toBeUndefined();
  },
);

test("the repair gives entries of an earlier version the expiry of their receipts, except entries of open deletions", async () => {
  const [closed, gone, open] = [
    await requestDeletion("PROJECT"),
    await requestDeletion("PROJECT"),
    await requestDeletion("ORGANIZATION"),
  ];
  const { write } = accessItems(database);
  const ttl = start / 1000 + 86_400;
  await write([
    { update: deletionKey(closed.deletion.id), change: "SET #ttl = :ttl", values: { ":ttl": ttl } },
    { remove: deletionKey(gone.deletion.id) },
  ]);
  const keys = [closed, gone, open].flatMap(({ deletion, entry }) => [entry, openDeletionKey(deletion.id)]);
  const foreign = { ...deletionEntryKey(organizationPartition("o"), "x"), ttl: "never" };
  await database.client.send(new PutCommand({ TableName: "access", Item: foreign }));

  const repairs = await deletionEntries(database, now).findWithoutExpiry([
    ...(await Promise.all(keys.map(itemAt))).flatMap((item) => item ?? []),
    foreign,
  ]);
  for (const repair of repairs) await repair();

  expect(repairs).toHaveLength(2);
  expect((await itemAt(closed.entry))?.["ttl"]).toBe(ttl);
  expect((await itemAt(gone.entry))?.["ttl"]).toBe(start / 1000);
  expect((await itemAt(open.entry))?.["ttl"]).toBeUndefined();
});

test("a list entry that was removed with its user is not restored when the deletion closes", async () => {
  const { deletion, entry } = await requestDeletion("ORGANIZATION");
  await accessItems(database).write([{ remove: entry }]);
  const deletions = deletionStore(database, now);
  const claimed = await deletions.claim(deletion.id);
  if (claimed === null) throw new Error("The deletion cannot be claimed.");

  expect(await deletions.close(claimed)).toBe(true);
  expect(await itemAt(entry)).toBeUndefined();
});
