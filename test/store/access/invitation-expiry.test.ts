import { pageAt } from "../../../lib/domain/page.ts";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { invitationExpiries } from "../../../lib/store/access/invitation-expiry.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import {
  invitationEntryKey,
  invitationKey,
  pendingInvitationKey,
  type AccessKey,
} from "../../../lib/store/access/keys.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import type { Database } from "../../../lib/store/database.ts";
import { expiryLook } from "../../../lib/upkeep/expire-invitations.ts";
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

/** An invitation, and who is invited: a user whose tokens tell the address. */
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

/** The expiry of the invitation, of its entry in the organization's list and of what waits for its address; null: no such item. */
const ttls = async (keys: readonly AccessKey[]) =>
  Promise.all(
    keys.map(async (key) => {
      const item = await itemOf(key);
      return item === undefined ? null : item["ttl"];
    }),
  );

/** Writes the items as the previous version did. */
const withoutExpiry = async (keys: readonly AccessKey[], ttl?: number): Promise<void> => {
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

/** Looks at an invitation as a pass does, and mends what is wrong with it. @returns how many things were. */
const look = async (key: AccessKey, own: Database = database): Promise<number> => {
  const repairs = await expiryLook(invitationExpiries(own))([(await itemOf(key)) ?? {}]);
  for (const repair of repairs) await repair();
  return repairs.length;
};

const lastDay = ({ expiresAt }: Invitation): number => Math.ceil(expiresAt / 1000) + 30 * 86_400;

describe("an invitation", () => {
  test("goes 30 days after it has expired, with all that holds the address", async () => {
    const { invitation, keys } = await invite();

    expect(await ttls(keys)).toEqual(keys.map(() => lastDay(invitation)));
  });

  test("is found until then, so that a late answer is told why, and in no list afterwards", async () => {
    const { invitation } = await invite();
    const at = (time: number) => invitationStore(database, () => time);
    const [before, after] = [at(invitation.expiresAt + 30 * days), at(invitation.expiresAt + 30 * days + 1000)];
    const listed = async (store: typeof before) =>
      (await store.page(organizationId, pageAt(50, 0))).items.filter(({ id }) => id === invitation.id).length;

    expect([await before.find(invitation.id), await listed(before)]).toEqual([invitation, 1]);
    expect([await after.find(invitation.id), await listed(after)]).toEqual([null, 0]);
    expect((await after.page(organizationId, pageAt(1, 0))).total).toBe(0);
  });

  test("that is declined goes in its time, one that is accepted stays", async () => {
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
  test("gets the expiry that it has not", async () => {
    const { invitation, keys } = await invite();
    await withoutExpiry(keys);

    expect([await look(keys[0]), await look(keys[0])]).toEqual([1, 0]);

    expect(await ttls(keys)).toEqual(keys.map(() => lastDay(invitation)));
  });

  test("gets it also when it was declined, and leaves what waits for the address now", async () => {
    const { invitation, guest, keys } = await invite();
    await invitationStore(database).end(invitation, "DECLINED", guest);
    const second = { ...invitation, id: randomUUID(), expiresAt: invitation.expiresAt + days };
    await invitationStore(database).create(second);
    await withoutExpiry(keys.slice(0, 2));

    await look(keys[0]);

    const last = lastDay(invitation);
    expect(await ttls(keys)).toEqual([last, last, lastDay(second)]);
  });

  test("that it let somebody accept loses it, or it would go", async () => {
    const { invitation, guest, keys } = await invite();
    await invitationStore(database).accept(invitation, guest);
    await withoutExpiry(keys, lastDay(invitation));

    expect(await look(keys[0])).toBe(1);

    expect(await ttls(keys)).toEqual([undefined, undefined, null]);
  });

  test("stays when it is accepted while it gets one", async () => {
    const { invitation, guest, keys } = await invite();
    await withoutExpiry(keys);
    let accepted: string | undefined;
    const isTransaction = once(({ operation }) => operation === "TransactWriteItems", "conflict");
    const own = faultyDatabase(database, async (call) => {
      const fault = await isTransaction(call);
      if (fault !== null) accepted = await invitationStore(database).accept(invitation, guest);
      return null;
    });

    await look(keys[0], own);

    expect([accepted, await ttls(keys)]).toEqual(["accepted", [undefined, undefined, null]]);
  });

  test("that cannot be read fails by itself", async () => {
    const repairs = await expiryLook(invitationExpiries(database))([{ pk: "invitation#x", sk: "invitation" }]);

    expect(repairs).toHaveLength(1);
    await expect(repairs[0]?.()).rejects.toThrow("Invalid key");
  });
});
