import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { Decide, FaultKind } from "../../support/faults/fault-kind.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const newUser = async (): Promise<string> => {
  const userId = randomUUID();
  await userStore(database).signIn({ userId, email: `${userId}@example.com`, displayName: "Bob" });
  return userId;
};

/** An organization, its owner, a second user, and an invitation of that user that is not stored yet. */
const unsentInvitation = async () => {
  const [owner, guest, organizationId] = [await newUser(), await newUser(), randomUUID()];
  await organizationStore(database).create(organizationId, "Acme", owner, 10);
  const now = Date.now();
  const invitation: Invitation = {
    id: randomUUID(),
    organizationId,
    email: `${guest}@example.com`,
    role: "MEMBER",
    status: "PENDING",
    invitedBy: owner,
    createdAt: instantAt(now),
    expiresAt: now + invitationLifetime,
  };
  return { owner, guest, organizationId, invitation };
};

const pendingInvitation = async () => {
  const world = await unsentInvitation();
  await invitationStore(database).create(world.invitation);
  return world;
};

/** Runs a concurrent change right before the first transaction, which then continues or fails with the given fault. */
const rightBefore = (concurrentChange: () => Promise<unknown>, kind: FaultKind | null = null): Decide => {
  let hasRun = false;
  return async ({ operation }) => {
    if (hasRun || operation !== "TransactWriteItems") return null;
    hasRun = true;
    await concurrentChange();
    return kind;
  };
};

const roleOf = (organizationId: string, userId: string) => memberStore(database).role(organizationId, userId);
const statusOf = async (id: string) => (await invitationStore(database).find(id))?.status;
const waitingFor = async ({ email }: Invitation) => (await invitationStore(database).pendingFor(email)).length;

describe("two invitations to one address", () => {
  test("are stored as one when they are sent concurrently", async () => {
    const { invitation } = await unsentInvitation();
    const store = invitationStore(database);

    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => store.create({ ...invitation, id: randomUUID() })),
    );

    expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "pending")).toHaveLength(11);
    expect((await store.page(invitation.organizationId, offsetPage(50, 0))).total).toBe(1);
  });

  test("are stored as one when the second is created while the first is being created", async () => {
    const { invitation } = await unsentInvitation();
    const second = { ...invitation, id: randomUUID() };
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).create(second)),
    );

    expect(await invitationStore(faultyDb).create(invitation)).toBe("pending");

    expect([await statusOf(invitation.id), await statusOf(second.id)]).toEqual([undefined, "PENDING"]);
  });

  test("are stored as one when the second is a retry of the first, whose answer was lost", async () => {
    const { invitation } = await unsentInvitation();
    const faultyDb = faultyDatabase(
      database,
      rightBefore(async () => undefined, "crash-after"),
    );
    await expect(invitationStore(faultyDb).create(invitation)).rejects.toThrow("died");

    expect(["made", "there"]).toContain(await invitationStore(database).create(invitation));

    expect(await waitingFor(invitation)).toBe(1);
  });
});

describe("an invitation that is accepted", () => {
  test("twice concurrently makes one member, counted once", async () => {
    const { guest, organizationId, invitation } = await pendingInvitation();

    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => invitationStore(database).accept(invitation, guest)),
    );

    expect(outcomes.toSorted()).toEqual(["accepted", ...Array.from({ length: 7 }, () => "processed")]);
    const organizations = await organizationStore(database).page(guest, offsetPage(50, 0));
    expect(organizations.items.filter(({ id }) => id === organizationId)).toMatchObject([{ role: "MEMBER" }]);
    expect((await memberStore(database).page(organizationId, offsetPage(50, 0))).total).toBe(2);
  });

  test("while it is being revoked is revoked, and nobody becomes a member", async () => {
    const { owner, guest, organizationId, invitation } = await pendingInvitation();
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).end(invitation, "REVOKED", owner)),
    );

    expect(await invitationStore(faultyDb).accept(invitation, guest)).toBe("processed");

    expect([await statusOf(invitation.id), await roleOf(organizationId, guest)]).toEqual(["REVOKED", null]);
  });

  test("is refused when its sender loses the required role at the last moment", async () => {
    const { owner, guest, organizationId, invitation } = await pendingInvitation();
    const sender = randomUUID();
    const invitationOfSender = { ...invitation, invitedBy: sender };
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => accessStore(database, 1_000).addMember(organizationId, sender, "MEMBER")),
    );

    expect(await invitationStore(faultyDb).accept(invitationOfSender, guest)).toBe("withdrawn");
    expect(await invitationStore(database).accept({ ...invitationOfSender, invitedBy: guest }, guest)).toBe(
      "withdrawn",
    );
    expect(await memberStore(database).role(organizationId, guest)).toBeNull();
    expect(await invitationStore(database).accept({ ...invitationOfSender, invitedBy: owner }, guest)).toBe("accepted");
  });

  test("is accepted if the revocation comes later, and the member stays", async () => {
    const { owner, guest, organizationId, invitation } = await pendingInvitation();
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).accept(invitation, guest)),
    );

    expect(await invitationStore(faultyDb).end(invitation, "REVOKED", owner)).toBe(false);

    expect([await statusOf(invitation.id), await roleOf(organizationId, guest)]).toEqual(["ACCEPTED", "MEMBER"]);
    expect(await waitingFor(invitation)).toBe(0);
  });

  test("and revoked concurrently ends as either accepted or revoked, never as a mixture", async () => {
    const worlds = await Promise.all(Array.from({ length: 6 }, pendingInvitation));

    const endings = await Promise.all(
      worlds.map(async ({ owner, guest, organizationId, invitation }) => {
        const store = invitationStore(database);
        const [accepted, revoked] = await Promise.all([
          store.accept(invitation, guest),
          store.end(invitation, "REVOKED", owner),
        ]);
        const state = [
          await statusOf(invitation.id),
          await roleOf(organizationId, guest),
          await waitingFor(invitation),
        ];
        return { accepted: accepted === "accepted", revoked, state };
      }),
    );

    for (const ending of endings) {
      expect([
        { accepted: true, revoked: false, state: ["ACCEPTED", "MEMBER", 0] },
        { accepted: false, revoked: true, state: ["REVOKED", null, 0] },
      ]).toContainEqual(ending);
    }
  });
});

describe("the last owner", () => {
  const withAdmin = async () => {
    const { owner, guest, organizationId, invitation } = await unsentInvitation();
    await invitationStore(database).create({ ...invitation, role: "ADMIN" });
    await invitationStore(database).accept({ ...invitation, role: "ADMIN" }, guest);
    const find = async (userId: string) => {
      const membership = await memberStore(database).find(organizationId, userId);
      if (membership === null) throw new Error("The member is gone.");
      return membership;
    };
    return { owner, guest, organizationId, find };
  };

  test("does not leave when the other owner has left a moment before", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const members = memberStore(database);
    await members.changeRole(await find(guest), "OWNER", owner);
    const [mine, theirs] = [await find(owner), await find(guest)];
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => members.remove(theirs, guest)),
    );

    expect(await memberStore(faultyDb).remove(mine, owner)).toBe("last-owner");

    expect([await roleOf(organizationId, owner), await roleOf(organizationId, guest)]).toEqual(["OWNER", null]);
  });

  test("does not leave when the intended next owner has left a moment before", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const [mine, theirs] = [await find(owner), await find(guest)];
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => memberStore(database).remove(theirs, guest)),
    );

    expect(await memberStore(faultyDb).changeRole(theirs, "OWNER", owner)).toBe(false);
    expect(await memberStore(database).remove(mine, owner)).toBe("last-owner");

    expect(await roleOf(organizationId, owner)).toBe("OWNER");
  });

  test("does not leave as an admin when they were made the owner a moment before", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const [mine, theirs] = [await find(owner), await find(guest)];
    const members = memberStore(database);
    const faultyDb = faultyDatabase(
      database,
      rightBefore(() => members.changeRole(theirs, "OWNER", owner)),
    );

    expect(await memberStore(faultyDb).remove(theirs, guest)).toBe("changed");
    expect(await members.remove(await find(guest), guest)).toBe("removed");
    expect(await members.remove(mine, owner)).toBe("last-owner");

    expect(await roleOf(organizationId, owner)).toBe("OWNER");
  });

  test("is not demoted by a request that still sees them as an admin", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const theirs = await find(guest);
    const members = memberStore(database);
    await members.changeRole(theirs, "OWNER", owner);
    await members.remove(await find(owner), owner);

    expect(await members.changeRole(theirs, "MEMBER", owner)).toBe(false);

    expect(await roleOf(organizationId, guest)).toBe("OWNER");
    expect(await members.remove(await find(guest), guest)).toBe("last-owner");
  });
});
