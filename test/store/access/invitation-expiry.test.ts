import { offsetPage } from "../../../lib/domain/page.ts";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import {
  invitationEntryKey,
  invitationKey,
  pendingInvitationKey,
  type AccessKey,
} from "../../../lib/store/access/keys.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

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
