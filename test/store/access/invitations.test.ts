import { pageAt } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Invitation, invitationLifetime } from "../../../lib/domain/access/invitation.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { invitationStore } from "../../../lib/store/access/invitations.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
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

const signedIn = async (): Promise<string> => {
  const userId = randomUUID();
  await userStore(database).signIn({ userId, email: `${userId}@example.com`, displayName: "Bob" });
  return userId;
};

/** An organization, its owner, somebody else and an invitation of them, which is not made yet. */
const invited = async () => {
  const [owner, guest, organizationId] = [await signedIn(), await signedIn(), randomUUID()];
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

const madeInvitation = async () => {
  const world = await invited();
  await invitationStore(database).create(world.invitation);
  return world;
};

/** Lets something happen right before the first transaction; the transaction then goes on, or ends by that fault. */
const rightBefore = (happening: () => Promise<unknown>, kind: FaultKind | null = null): Decide => {
  let done = false;
  return async ({ operation }) => {
    if (done || operation !== "TransactWriteItems") return null;
    done = true;
    await happening();
    return kind;
  };
};

const roleOf = (organizationId: string, userId: string) => memberStore(database).role(organizationId, userId);
const statusOf = async (id: string) => (await invitationStore(database).find(id))?.status;
const waitingFor = async ({ email }: Invitation) => (await invitationStore(database).waiting(email)).length;

describe("two invitations to one address", () => {
  test("at once are one", async () => {
    const { invitation } = await invited();
    const store = invitationStore(database);

    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => store.create({ ...invitation, id: randomUUID() })),
    );

    expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "pending")).toHaveLength(11);
    expect((await store.page(invitation.organizationId, pageAt(50, 0))).total).toBe(1);
  });

  test("are one where the second is made while the first is on its way", async () => {
    const { invitation } = await invited();
    const second = { ...invitation, id: randomUUID() };
    const own = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).create(second)),
    );

    expect(await invitationStore(own).create(invitation)).toBe("pending");

    expect([await statusOf(invitation.id), await statusOf(second.id)]).toEqual([undefined, "PENDING"]);
  });

  test("that are the same request are one, whose answer was lost", async () => {
    const { invitation } = await invited();
    const own = faultyDatabase(
      database,
      rightBefore(async () => undefined, "crash-after"),
    );
    await expect(invitationStore(own).create(invitation)).rejects.toThrow("died");

    expect(["made", "there"]).toContain(await invitationStore(database).create(invitation));

    expect(await waitingFor(invitation)).toBe(1);
  });
});

describe("an invitation that is accepted", () => {
  test("twice at once makes one member, counted once", async () => {
    const { guest, organizationId, invitation } = await madeInvitation();

    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => invitationStore(database).accept(invitation, guest)),
    );

    expect(outcomes.toSorted()).toEqual(["accepted", ...Array.from({ length: 7 }, () => "processed")]);
    const organizations = await organizationStore(database).page(guest, pageAt(50, 0));
    expect(organizations.items.filter(({ id }) => id === organizationId)).toMatchObject([{ role: "MEMBER" }]);
    expect((await memberStore(database).page(organizationId, pageAt(50, 0))).total).toBe(2);
  });

  test("while it is revoked is revoked, and nobody becomes a member", async () => {
    const { owner, guest, organizationId, invitation } = await madeInvitation();
    const own = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).end(invitation, "REVOKED", owner)),
    );

    expect(await invitationStore(own).accept(invitation, guest)).toBe("processed");

    expect([await statusOf(invitation.id), await roleOf(organizationId, guest)]).toEqual(["REVOKED", null]);
  });

  test("is refused when who sent it loses the role for it at the last moment", async () => {
    const { owner, guest, organizationId, invitation } = await madeInvitation();
    const sender = randomUUID();
    const sent = { ...invitation, invitedBy: sender };
    const own = faultyDatabase(
      database,
      rightBefore(() => accessStore(database, 1_000).addMember(organizationId, sender, "MEMBER")),
    );

    expect(await invitationStore(own).accept(sent, guest)).toBe("withdrawn");
    expect(await invitationStore(database).accept({ ...sent, invitedBy: guest }, guest)).toBe("withdrawn");
    expect(await memberStore(database).role(organizationId, guest)).toBeNull();
    expect(await invitationStore(database).accept({ ...sent, invitedBy: owner }, guest)).toBe("accepted");
  });

  test("while it is being revoked stays accepted, and its member one", async () => {
    const { owner, guest, organizationId, invitation } = await madeInvitation();
    const own = faultyDatabase(
      database,
      rightBefore(() => invitationStore(database).accept(invitation, guest)),
    );

    expect(await invitationStore(own).end(invitation, "REVOKED", owner)).toBe(false);

    expect([await statusOf(invitation.id), await roleOf(organizationId, guest)]).toEqual(["ACCEPTED", "MEMBER"]);
    expect(await waitingFor(invitation)).toBe(0);
  });

  test("and revoked at once, again and again, ends as one of both and never as a half", async () => {
    const worlds = await Promise.all(Array.from({ length: 6 }, madeInvitation));

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
    const { owner, guest, organizationId, invitation } = await invited();
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
    const own = faultyDatabase(
      database,
      rightBefore(() => members.remove(theirs, guest)),
    );

    expect(await memberStore(own).remove(mine, owner)).toBe("last-owner");

    expect([await roleOf(organizationId, owner), await roleOf(organizationId, guest)]).toEqual(["OWNER", null]);
  });

  test("does not leave when who was to follow has left a moment before", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const [mine, theirs] = [await find(owner), await find(guest)];
    const own = faultyDatabase(
      database,
      rightBefore(() => memberStore(database).remove(theirs, guest)),
    );

    expect(await memberStore(own).changeRole(theirs, "OWNER", owner)).toBe(false);
    expect(await memberStore(database).remove(mine, owner)).toBe("last-owner");

    expect(await roleOf(organizationId, owner)).toBe("OWNER");
  });

  test("is not who leaves as an admin and was made an owner a moment before: they stay and may leave again", async () => {
    const { owner, guest, organizationId, find } = await withAdmin();
    const [mine, theirs] = [await find(owner), await find(guest)];
    const members = memberStore(database);
    const own = faultyDatabase(
      database,
      rightBefore(() => members.changeRole(theirs, "OWNER", owner)),
    );

    expect(await memberStore(own).remove(theirs, guest)).toBe("changed");
    expect(await members.remove(await find(guest), guest)).toBe("removed");
    expect(await members.remove(mine, owner)).toBe("last-owner");

    expect(await roleOf(organizationId, owner)).toBe("OWNER");
  });

  test("whom nobody may demote is not demoted by who still takes them for an admin", async () => {
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
