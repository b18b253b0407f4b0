import { offsetPage } from "../../../lib/domain/page.ts";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { invitationExpiryRepair } from "../../../lib/store/access/invitation-expiry.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import {
  invitationEntryKey,
  invitationKey,
  pendingInvitationKey,
  type AccessKey,
} from "../../../lib/store/access/keys.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { expiryCheck } from "../../../lib/maintenance/expire-invitations.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { once } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";

const days = 86_400_000;

let database: TestDatabase;
let owner: string;
let organizationId: string;
beforeAll(async () => {
  database = await startDatabase();
  [owner, organizationId] = [randomUUID(), randomUUID()];
  await userStore(database).signIn({ userId: owner, email: "olga@example.com", displayName: null });
  await organizationStore(database).create(organizationId, "Acme", owner, 10);
});
afterAll(() => database.close());

/** An invitation with the keys of its items, and the user with the invited address. */
const invite = async () => {
  const [id, guest] = [randomUUID(), randomUUID()];
  const email = `${guest}@example.com`;
  await userStore(database).signIn({ userId: guest, email, displayName: null });
  const now = Date.now();
  const invitation: Invitation = {
    id,
    organizationId,
    email,
    role: "MEMBER",
    status: "PENDING",
    invitedBy: owner,
    createdAt: instantAt(now),
    expiresAt: now + invitationLifetime,
  };
  await invitationStore(database).create(invitation);
  const keys = [
    invitationKey(id),
    invitationEntryKey(organizationId, id),
    pendingInvitationKey(email, organizationId),
  ] as const;
  return { invitation, guest, keys };
};

const itemOf = async (Key: AccessKey) =>
  (await database.client.send(new GetCommand({ TableName: "access", Key, ConsistentRead: true }))).Item;

/** Expiries (TTL) of the invitation, of its entry in the organization's list and of the pending item of its address; null for a missing item. */
const ttls = async (keys: readonly AccessKey[]) =>
  Promise.all(
    keys.map(async (key) => {
      const item = await itemOf(key);
      return item === undefined ? null : item["ttl"];
    }),
  );

/** Sets or removes the expiry (TTL) of the items, as the previous version wrote them. */
const writeExpiry = async (keys: readonly AccessKey[], ttl?: number): Promise<void> => {
  for (const Key of keys) {
    if ((await itemOf(Key)) === undefined) continue;
    const change = {
      UpdateExpression: ttl === undefined ? "REMOVE #ttl" : "SET #ttl = :ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ...(ttl !== undefined && { ExpressionAttributeValues: { ":ttl": ttl } }),
    };
    await database.client.send(new UpdateCommand({ TableName: "access", Key, ...change }));
  }
};

/** Checks an invitation as a maintenance pass does, and repairs it. @returns the number of repairs. */
const checkAndRepair = async (key: AccessKey, connection: Database = database): Promise<number> => {
  const repairs = await expiryCheck(invitationExpiryRepair(connection))([(await itemOf(key)) ?? {}]);
  for (const repair of repairs) await repair();
  return repairs.length;
};

const lastDay = ({ expiresAt }: Invitation): number => Math.ceil(expiresAt / 1000) + 30 * 86_400;

describe("an invitation", () => {
  test("is removed 30 days after it expires, together with all items that contain the address", async () => {
    const { invitation, keys } = await invite();

    expect(await ttls(keys)).toEqual(keys.map(() => lastDay(invitation)));
  });

  test("is found and listed until its removal, so that a late answer gets a reason, and not afterwards", async () => {
    const { invitation } = await invite();
    const at = (time: number) => invitationStore(database, () => time);
    const removal = lastDay(invitation) * 1000;
    const [before, after] = [at(removal - 1), at(removal)];
    const countInList = async (store: typeof before) =>
      (await store.page(organizationId, offsetPage(50, 0))).items.filter(({ id }) => id === invitation.id).length;

    expect([await before.find(invitation.id), await countInList(before)]).toEqual([invitation, 1]);
    expect([await after.find(invitation.id), await countInList(after)]).toEqual([null, 0]);
    expect((await after.page(organizationId, offsetPage(1, 0))).total).toBe(0);
  });

  test("expires as planned after it was declined, and never after it was accepted", async () => {
    const [declined, accepted] = [await invite(), await invite()];
    await invitationStore(database).end(declined.invitation, "DECLINED", declined.guest);
    await invitationStore(database).accept(accepted.invitation, accepted.guest);

    const last = lastDay(declined.invitation);
    expect([await ttls(declined.keys), await ttls(accepted.keys)]).toEqual([
      [last, last, null],
      [undefined, undefined, null],
    ]);
  });
});

describe("an invitation of the previous version", () => {
  test("gets the missing expiry", async () => {
    const { invitation, keys } = await invite();
    await writeExpiry(keys);

    expect([await checkAndRepair(keys[0]), await checkAndRepair(keys[0])]).toEqual([1, 0]);

    expect(await ttls(keys)).toEqual(keys.map(() => lastDay(invitation)));
  });

  test("gets the expiry also after it was declined, without a change to a newer invitation of the address", async () => {
    const { invitation, guest, keys } = await invite();
    await invitationStore(database).end(invitation, "DECLINED", guest);
    const second = { ...invitation, id: randomUUID(), expiresAt: invitation.expiresAt + days };
    await invitationStore(database).create(second);
    await writeExpiry(keys.slice(0, 2));

    await checkAndRepair(keys[0]);

    const last = lastDay(invitation);
    expect(await ttls(keys)).toEqual([last, last, lastDay(second)]);
  });

  test("that was accepted loses its expiry", async () => {
    const { invitation, guest, keys } = await invite();
    await invitationStore(database).accept(invitation, guest);
    await writeExpiry(keys, lastDay(invitation));

    expect(await checkAndRepair(keys[0])).toBe(1);

    expect(await ttls(keys)).toEqual([undefined, undefined, null]);
  });

  test("stays without expiry when it is accepted during the repair", async () => {
    const { invitation, guest, keys } = await invite();
    await writeExpiry(keys);
    let accepted: string | undefined;
    const isTransaction = once(({ operation }) => operation === "TransactWriteItems", "conflict");
    const faultyDb = faultyDatabase(database, async (call) => {
      const fault = await isTransaction(call);
      if (fault !== null) accepted = await invitationStore(database).accept(invitation, guest);
      return null;
    });

    await checkAndRepair(keys[0], faultyDb);

    expect([accepted, await ttls(keys)]).toEqual(["accepted", [undefined, undefined, null]]);
  });

  test("that cannot be read fails only its own repair", async () => {
    const repairs = await expiryCheck(invitationExpiryRepair(database))([{ pk: "invitation#x", sk: "invitation" }]);

    expect(repairs).toHaveLength(1);
    await expect(repairs[0]?.()).rejects.toThrow("Invalid key");
  });
});
