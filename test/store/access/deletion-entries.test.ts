import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionEntryKey, deletionKey, organizationPartition, userPartition } from "../../../lib/store/access/keys.ts";
import { deletionStore, type Deletions } from "../../../lib/store/deletion/deletions.ts";
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
    projectId: null,
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
    expect(await itemAt(openDeletionKey(deletion))).toBeUndefined();
  },
);

test("a list entry that was removed with its user is not restored when the deletion closes", async () => {
  const { deletion, entry } = await requestDeletion("ORGANIZATION");
  await accessItems(database).write([{ remove: entry }]);
  const deletions = deletionStore(database, now);
  const claimed = await deletions.claim(deletion.id);
  if (claimed === null) throw new Error("The deletion cannot be claimed.");

  expect(await deletions.close(claimed)).toBe(true);
  expect(await itemAt(entry)).toBeUndefined();
});

test("a worker whose lease is over neither releases nor closes a deletion, and what it removed ends an unfinished pass", async () => {
  const { deletion } = await requestDeletion("PROJECT");
  const clock = { at: start };
  const deletions = deletionStore(database, () => clock.at);
  const late = await deletions.claim(deletion.id);
  clock.at += 180_000;
  const current = await deletions.claim(deletion.id);
  if (late === null || current === null) throw new Error("The deletion cannot be claimed.");
  const leased = await itemAt(deletionKey(deletion.id));
  await deletions.release(late);
  const isClosed = await deletions.close(late);

  expect([isClosed, await itemAt(deletionKey(deletion.id))]).toEqual([false, leased]);
  expect(await itemAt(openDeletionKey(deletion))).toBeDefined();
  const passing = { begunAt: start, at: "traces", place: null, found: false };
  await deletions.release({ ...current, deletion: { ...current.deletion, emptySince: start, passing } });
  await deletions.addRemoved(deletion.id, { traces: 1 });
  const { deletion: after } = (await deletions.claim(deletion.id)) ?? {};
  expect(after).toMatchObject({ emptySince: null, passing: null, removed: { traces: 1 } });
});

test.each<[string, (deletions: Deletions, id: string) => Promise<unknown>]>([
  ["lease", (deletions, id) => deletions.claim(id)],
  ["count of removed items", (deletions, id) => deletions.addRemoved(id, { traces: 1 })],
  ["count of items that a scan found", (deletions, id) => deletions.countStrays(id, 1, start)],
])("a late %s does not begin the receipt of a deletion again that is gone", async (_, write) => {
  const id = randomUUID();
  await write(deletionStore(database, now), id);
  expect(await itemAt(deletionKey(id))).toBeUndefined();
});
