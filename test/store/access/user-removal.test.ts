import { offsetPage } from "../../../lib/domain/page.ts";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { invitationLifetime, type Invitation } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { auditTrail } from "../../../lib/store/access/audit.ts";
import { userRemoval } from "../../../lib/store/access/user-removal.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import { emailPartition, userKey, userPartition } from "../../../lib/store/access/keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { deletionStore } from "../../../lib/store/deletion/deletions.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { keyPages } from "../../../lib/dynamo/erase-items.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Call } from "../../support/faults/fault-kind.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const minute = 60_000;
const addressOf = (userId: string): string => `${userId}@example.com`;
const signIn = (userId: string) => userStore(database).signIn({ userId, email: addressOf(userId), displayName: "Bob" });
const remove = (userId: string, connection: Database = database, budget = minute) =>
  userRemoval(connection)(userId, Date.now() + budget);

const organizationsOf = async (userId: string) =>
  (await organizationStore(database).page(userId, offsetPage(50, 0))).items;

/** Deletes the organization that sign-in created for the user. @returns its id. */
const deleteOwnedOrganization = async (userId: string): Promise<string> => {
  const ownedOrganization = (await organizationsOf(userId)).find(({ role }) => role === "OWNER");
  if (ownedOrganization === undefined) throw new Error("The user owns no organization.");
  expect(await deletionRequests(database).ofOrganization(ownedOrganization, userId)).toBe(true);
  return ownedOrganization.id;
};

/** An organization and its owner. */
const organization = async () => {
  const [id, owner] = [randomUUID(), randomUUID()];
  await signIn(owner);
  await organizationStore(database).create(id, "Acme", owner, 10);
  return { id, owner };
};

/** A user who owns nothing and is a member of some organizations. @returns as `first` the deleted organization that they owned. */
const guest = async (count: number) => {
  const userId = randomUUID();
  await signIn(userId);
  const hosts = await Promise.all(Array.from({ length: count }, organization));
  for (const { id } of hosts) await accessStore(database, 10).addMember(id, userId, "MEMBER");
  const first = await deleteOwnedOrganization(userId);
  return { userId, hosts, first };
};

/** Sort keys of all items that are stored under the user's id or address. */
const remainingSorts = async (userId: string) => {
  const sorts: string[] = [];
  for (const partition of [userPartition(userId), emailPartition(addressOf(userId))])
    for await (const keys of keyPages(database, "access", partition)) sorts.push(...keys.map(({ sk }) => String(sk)));
  return sorts;
};
const isMember = async (organizationId: string, userId: string) =>
  (await memberStore(database).find(organizationId, userId)) !== null;
const departuresIn = async (organizationId: string, userId: string) =>
  (await auditTrail(database).page(organizationId, offsetPage(50, 0))).items.filter(
    ({ action, target, actorId }) => action === "member.left" && target === userId && actorId === userId,
  ).length;
const itemOf = async (userId: string) =>
  (await database.client.send(new GetCommand({ TableName: "access", Key: userKey(userId), ConsistentRead: true })))
    .Item;

/** True for the transaction that deletes the user item itself. */
const isEnd = ({ operation, input }: Call): boolean => {
  const actions = operation === "TransactWriteItems" ? input["TransactItems"] : [];
  const keys = (Array.isArray(actions) ? actions : []).map((action) => action.Delete?.Key.sk.S);
  return keys.includes("user");
};

/** Removes a user, and runs a concurrent change right before the transaction that deletes the user item. @returns both results. */
const removeDuring = async <Result>(userId: string, concurrentChange: () => Promise<Result>) => {
  const concurrentResults: Result[] = [];
  const faultyDb = faultyDatabase(database, async (call) => {
    if (concurrentResults.length === 0 && isEnd(call)) concurrentResults.push(await concurrentChange());
    return null;
  });
  return [await remove(userId, faultyDb), ...concurrentResults];
};

const inviteTo = async (organizationId: string, owner: string, userId: string): Promise<Invitation> => {
  const now = Date.now();
  const invitation: Invitation = {
    id: randomUUID(),
    organizationId,
    email: addressOf(userId),
    role: "MEMBER",
    status: "PENDING",
    invitedBy: owner,
    createdAt: instantAt(now),
    expiresAt: now + invitationLifetime,
  };
  await invitationStore(database).create(invitation);
  return invitation;
};

describe("a user who is removed", () => {
  test("leaves every organization with an audit entry, and no name, address or list remains", async () => {
    const { userId, hosts, first } = await guest(3);

    expect(await remove(userId)).toBe("removed");

    expect(await remainingSorts(userId)).toEqual([]);
    for (const { id } of hosts)
      expect([await isMember(id, userId), await departuresIn(id, userId)]).toEqual([false, 1]);
    expect((await deletionStore(database).open()).map(({ id }) => id)).toContain(first);
    expect(await remove(userId)).toBe("removed");
  });

  test("is not removed while they own an organization, and stays a member everywhere", async () => {
    const { userId, hosts } = await guest(1);
    const before = await organization();
    await accessStore(database, 10).addMember(before.id, userId, "OWNER");

    expect(await remove(userId)).toBe("owner");

    expect([await isMember(before.id, userId), await isMember(hosts[0]?.id ?? "", userId)]).toEqual([true, true]);
    expect(await itemOf(userId)).toMatchObject({ memberships: 2, owned: 1 });
  });

  test("also leaves an organization that another owner has deleted and that is still being removed", async () => {
    const { userId } = await guest(0);
    const { id, owner } = await organization();
    await accessStore(database, 10).addMember(id, userId, "OWNER");
    await deletionRequests(database).ofOrganization({ id, name: "Acme", createdAt: "" }, owner);

    expect(await remove(userId)).toBe("removed");

    expect([await remainingSorts(userId), await isMember(id, userId)]).toEqual([[], false]);
  });

  test("leaves one organization per request when requests have no time, and is removed in the end", async () => {
    const { userId, hosts } = await guest(4);
    const outcomes: string[] = [];

    do outcomes.push(await remove(userId, database, -1));
    while (outcomes.at(-1) === "unfinished" && outcomes.length < 10);

    expect(outcomes).toEqual(["unfinished", "unfinished", "unfinished", "removed"]);
    expect(await remainingSorts(userId)).toEqual([]);
    for (const { id } of hosts) expect(await departuresIn(id, userId)).toBe(1);
  });

  test.each(["crash-before", "crash-after"] as const)(
    "is removed by the next process after one that dies at any request (%s), with one audit entry per organization",
    async (kind) => {
      let [died, nth] = [true, 0];
      while (died) {
        nth += 1;
        const { userId, hosts } = await guest(2);
        let requestsBeforeDeath = nth;
        const dying = faultyDatabase(database, ({ operation }) => {
          if (operation.includes("(")) return null;
          requestsBeforeDeath -= 1;
          return requestsBeforeDeath === 0 ? kind : null;
        });
        await Promise.allSettled([remove(userId, dying)]);
        died = dying.crashed;

        expect(await remove(userId)).toBe("removed");

        expect(await remainingSorts(userId)).toEqual([]);
        for (const { id } of hosts)
          expect([await isMember(id, userId), await departuresIn(id, userId)]).toEqual([false, 1]);
      }
      // The last process had no request left to die at.
      expect(nth).toBeGreaterThan(6);
    },
  );
});

describe("a change that happens while a user is removed", () => {
  test("an invitation that is accepted before the removal is left again", async () => {
    const { userId } = await guest(1);
    const { id, owner } = await organization();
    const invitation = await inviteTo(id, owner, userId);

    const outcomes = await removeDuring(userId, () => invitationStore(database).accept(invitation, userId));

    expect(outcomes).toEqual(["removed", "accepted"]);

    expect([await isMember(id, userId), await itemOf(userId), await departuresIn(id, userId)]).toEqual([
      false,
      undefined,
      1,
    ]);
  });

  test("an invitation that is accepted after the removal makes nobody a member, and can be accepted after a new sign-in", async () => {
    const { userId } = await guest(1);
    const { id, owner } = await organization();
    const invitation = await inviteTo(id, owner, userId);
    await remove(userId);
    const store = invitationStore(database);

    expect(await store.accept(invitation, userId)).toBe("unknown");

    expect([await isMember(id, userId), await itemOf(userId)]).toEqual([false, undefined]);
    await signIn(userId);
    expect(await store.accept(invitation, userId)).toBe("accepted");
  });

  test("a member who becomes an owner stays one", async () => {
    const { userId, hosts } = await guest(1);
    const [{ id, owner } = { id: "", owner: "" }] = hosts;
    const members = memberStore(database);

    const outcomes = await removeDuring(userId, async () => {
      const membership = await members.find(id, userId);
      return membership !== null && (await members.changeRole(membership, "OWNER", owner));
    });

    expect(outcomes).toEqual(["owner", true]);
    expect([await members.role(id, userId), await itemOf(userId)]).toMatchObject([
      "OWNER",
      { memberships: 1, owned: 1 },
    ]);
  });

  test("a sign-in creates no organization, as the user has one until they are removed", async () => {
    const { userId } = await guest(1);

    const outcomes = await removeDuring(userId, () => signIn(userId));

    expect(outcomes).toEqual(["removed", undefined]);
    expect([await remainingSorts(userId), await organizationsOf(userId)]).toEqual([[], []]);
  });

  test("no organization is created for a removed user", async () => {
    const { userId } = await guest(1);
    await remove(userId);

    await expect(organizationStore(database).create(randomUUID(), "Late", userId, 10)).rejects.toMatchObject({
      reason: { kind: "unavailable" },
    });

    expect(await remainingSorts(userId)).toEqual([]);
  });

  test("an organization that is created before the removal keeps its owner", async () => {
    const { userId } = await guest(1);
    const id = randomUUID();

    const outcomes = await removeDuring(userId, () => organizationStore(database).create(id, "Late", userId, 10));

    expect(outcomes).toMatchObject(["owner", { id }]);
    expect(await memberStore(database).role(id, userId)).toBe("OWNER");
  });
});

describe("a user who signs in again after the removal", () => {
  test("gets one new organization, which can be deleted and left like the first one", async () => {
    const { userId, first } = await guest(1);
    await remove(userId);

    await Promise.all(Array.from({ length: 5 }, () => signIn(userId)));

    const [newOrganization, ...otherOrganizations] = await organizationsOf(userId);
    expect([newOrganization?.role, otherOrganizations, newOrganization?.id === first]).toEqual(["OWNER", [], false]);
    expect(await itemOf(userId)).toMatchObject({ memberships: 1, owned: 1, first_organizations: 1 });
    await deleteOwnedOrganization(userId);
    expect(await remove(userId)).toBe("removed");
  });

  test("is found by their address again", async () => {
    const { userId } = await guest(1);
    await remove(userId);
    const between = await userStore(database).withEmail(addressOf(userId));
    await signIn(userId);

    expect([between, await userStore(database).withEmail(addressOf(userId))]).toEqual([[], [userId]]);
  });
});
