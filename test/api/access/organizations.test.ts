import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { listAuditEvents } from "../../../lib/contract/access/audit.ts";
import { listMyDeletions } from "../../../lib/contract/access/deletions.ts";
import {
  acceptInvitation,
  declineInvitation,
  deleteMe,
  getMe,
  listMyInvitations,
} from "../../../lib/contract/access/me.ts";
import { createInvitation, listInvitations, revokeInvitation } from "../../../lib/contract/access/invitations.ts";
import { listMembers, removeMember, updateMember } from "../../../lib/contract/access/members.ts";
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "../../../lib/contract/access/organizations.ts";
import { listProjects } from "../../../lib/contract/access/projects.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { requestTimeout } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const { person, organization } = people();

const stillOwner =
  "You own an organization. Delete it, or make another member an owner and leave it, before you are removed.";

const detail = (text: string) => ({ body: { detail: text } });

describe("a user", () => {
  test("exists from the first sign-in, and owns an organization with a project", async () => {
    const ann = await person("Ann");

    const me = await ann.answer(getMe);
    const { items, total } = await ann.page(listOrganizations);

    expect(me).toMatchObject({ id: ann.userId, email: ann.email, display_name: "Ann", organization_id: items[0]?.id });
    expect(me.last_sign_in_at).toBe(me.created_at);
    expect([total, items[0]?.name, items[0]?.role]).toEqual([1, "My Organization", "OWNER"]);
    const projects = await ann.page(listProjects, { params: { org_id: items[0]?.id ?? "" } });
    expect(projects.items.map(({ name, description }) => [name, description])).toEqual([
      ["onboarding", "Your onboarding project"],
    ]);
  });

  test("who signs in for the first time from many places at once gets one organization", async () => {
    const ann = await person();

    await Promise.all(Array.from({ length: 8 }, () => ann.answer(getMe)));

    expect(await ann.page(listOrganizations)).toMatchObject({ total: 1 });
  });

  test("selects an organization by a header, by default that of the oldest membership", async () => {
    const { owner, id } = await organization();
    const first = (await owner.answer(getMe)).organization_id;
    const getMeIn = (value: string) => owner.call(getMe, { headers: { "X-Organization-ID": value } });

    expect(first).not.toBe(id);
    expect(await getMeIn(id.toUpperCase())).toMatchObject({ status: 200, body: { organization_id: id } });
    expect(await getMeIn(randomUUID())).toMatchObject({
      status: 403,
      ...detail("You are not a member of this organization."),
    });
    expect(problems(await getMeIn("x"))).toEqual(["header.X-Organization-ID"]);
  });
});

describe("a user who deletes the account", () => {
  test("is refused while owning an organization, and is deleted when owning none", async () => {
    const { owner, params, join } = await organization();
    const member = await join("MEMBER");
    const ownOrganization = (await member.page(listOrganizations)).items.find(({ role }) => role === "OWNER");

    const refusal = await member.call(deleteMe);
    const memberCount = (await owner.page(listMembers, { params })).total;
    expectStatus(await member.call(deleteOrganization, { params: { org_id: ownOrganization?.id ?? "" } }), 204);
    const replies = [await member.call(deleteMe), await member.call(deleteMe)];

    expect([memberCount, refusal]).toMatchObject([2, { status: 409, ...detail(stillOwner) }]);
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [204, ""],
      [204, ""],
    ]);
    expect((await owner.page(listMembers, { params })).items.map(({ user_id }) => user_id)).toEqual([owner.userId]);
    const [event] = (await owner.answer(listAuditEvents, { params })).items;
    expect(event).toMatchObject({ action: "member.left", actor_id: member.userId, target_id: member.userId });
  });

  test("and owns no organization gets none by it; on return the user is new and owns another", async () => {
    const ann = await person("Ann");
    const [ownOrganization] = (await ann.page(listOrganizations)).items;
    expectStatus(await ann.call(deleteOrganization, { params: { org_id: ownOrganization?.id ?? "" } }), 204);

    expectStatus(await ann.call(deleteMe), 204);

    // The authorizer caches a user for five seconds.
    await expect.poll(async () => (await ann.page(listOrganizations)).total, { timeout: requestTimeout }).toBe(1);
    const { items } = await ann.page(listOrganizations);
    expect([items[0]?.role, items[0]?.id === ownOrganization?.id]).toEqual(["OWNER", false]);
    expect(await ann.answer(getMe)).toMatchObject({ id: ann.userId, email: ann.email, organization_id: items[0]?.id });
    expect((await ann.answer(listMyDeletions)).total).toBe(0);
  });
});

describe("an organization", () => {
  test("is created once by a request that is repeated", async () => {
    const ann = await person();
    const options = { body: { name: " Acme  " }, headers: { "Idempotency-Key": randomUUID() } };

    const [first, second] = [
      await ann.answer(createOrganization, options),
      await ann.answer(createOrganization, options),
    ];

    expect(first.name).toBe("Acme");
    expect(second).toEqual(first);
    expect((await ann.page(listOrganizations)).items.map(({ id }) => id)[0]).toBe(first.id);
  });

  test("is one of at most two that a user may own, even when many are created at once", async () => {
    const ann = await person();

    const replies = await Promise.all(
      ["A1", "B1", "C1", "D1"].map((name) => ann.call(createOrganization, { body: { name } })),
    );

    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403]);
    expect(replies.find(({ status }) => status === 403)).toMatchObject(detail("Organization ownership limit reached."));
    expect((await ann.page(listOrganizations)).total).toBe(2);
  });

  test.each<[string, unknown, string]>([
    ["no name", undefined, "body.name"],
    ["an empty name", " ", "body.name"],
    ["a name that ends in a hyphen", "Acme-", "body.name"],
    ["a name of 256 letters", "a".repeat(256), "body.name"],
    ["a number for a name", 1, "body.name"],
  ])("with %s is refused", async (_, name, loc) => {
    const ann = await person();

    const reply = await ann.call(createOrganization, { body: { name } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual([loc]);
    expect((await ann.page(listOrganizations)).total).toBe(1);
  });

  test("is renamed, or stays unchanged by an empty request", async () => {
    const { owner, params } = await organization();

    const renamed = await owner.answer(updateOrganization, { params, body: { name: "Other" } });
    const same = await owner.answer(updateOrganization, { params, body: {} });

    expect(renamed.name).toBe("Other");
    expect(same).toEqual(renamed);
    expect(await owner.answer(getOrganization, { params })).toEqual({ ...renamed, role: "OWNER" });
  });

  test("of others is answered like one that does not exist", async () => {
    const [{ id }, ann] = await Promise.all([organization(), person()]);

    const [foreign, unknown] = await Promise.all(
      [id, randomUUID()].map((org_id) => ann.call(getOrganization, { params: { org_id } })),
    );

    expect(foreign).toMatchObject({ status: 403, ...detail("You are not a member of this organization.") });
    expect(foreign?.text).toBe(unknown?.text);
  });
});

describe("an invitation", () => {
  test("matches its address in any case, and makes the user who accepts it a member", async () => {
    const { owner, id, params } = await organization("Inviting");
    const bob = await person("Bob", `Bob.${randomUUID()}@Example.com`);

    const invitation = await owner.answer(createInvitation, {
      params,
      body: { email: ` ${bob.email.toUpperCase()} `, role: "ADMIN" },
    });
    const waiting = await bob.page(listMyInvitations);
    const membership = await bob.answer(acceptInvitation, { params: { invitation_id: invitation.id } });

    expect(invitation).toMatchObject({
      org_id: id,
      org_name: "Inviting",
      email: bob.email.toLowerCase(),
      role: "ADMIN",
      status: "PENDING",
      invited_by: owner.userId,
      inviter_display_name: "Olga",
      inviter_email: owner.email,
    });
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * 86_400_000);
    expect(waiting).toEqual({ items: [invitation], total: 1, limit: 50, offset: 0, next_cursor: null });
    expect(membership).toMatchObject({ user_id: bob.userId, org_id: id, role: "ADMIN", display_name: "Bob" });
    expect((await owner.page(listMembers, { params })).items.map(({ user_id }) => user_id)).toEqual([
      owner.userId,
      bob.userId,
    ]);
    expect((await owner.page(listInvitations, { params })).items).toEqual([{ ...invitation, status: "ACCEPTED" }]);
    expect((await bob.page(listMyInvitations)).total).toBe(0);
  });

  test("exists once for each address, even when many are sent at once", async () => {
    const { owner, params } = await organization();
    const email = `${randomUUID()}@example.com`;

    const replies = await Promise.all(
      Array.from({ length: 5 }, () => owner.call(createInvitation, { params, body: { email } })),
    );

    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)).toMatchObject(
      detail("An invitation for this email is already pending."),
    );
    expect((await owner.page(listInvitations, { params })).total).toBe(1);
  });

  test("is accepted once, even when it is accepted many times at once, and counted once", async () => {
    const { owner, params } = await organization();
    const bob = await person("Bob");
    const { id } = await owner.answer(createInvitation, { params, body: { email: bob.email } });

    const replies = await Promise.all(
      Array.from({ length: 4 }, () => bob.call(acceptInvitation, { params: { invitation_id: id } })),
    );

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await owner.page(listMembers, { params })).total).toBe(2);
  });

  test("is refused for the user's own address, a member's, an invalid one and the role of owner", async () => {
    const { owner, params, join } = await organization();
    const member = await join("MEMBER");
    const invite = (body: object) => owner.call(createInvitation, { params, body });

    expect(await invite({ email: owner.email })).toMatchObject({
      status: 409,
      ...detail("You cannot invite yourself."),
    });
    expect(await invite({ email: member.email })).toMatchObject({
      status: 409,
      ...detail("User is already a member of this organization."),
    });
    expect(await invite({ email: "a@b.c", role: "OWNER" })).toMatchObject({
      status: 403,
      ...detail("Cannot invite a user as OWNER."),
    });
    expect(problems(await invite({ email: "ab", role: "owner" }))).toEqual(["body.email", "body.role"]);
  });

  test("is answered by its address only, and once", async () => {
    const { owner, params } = await organization();
    const [bob, eve] = [await person("Bob"), await person("Eve")];
    const { id } = await owner.answer(createInvitation, { params, body: { email: bob.email } });
    const mine = { params: { invitation_id: id } };

    for (const route of [acceptInvitation, declineInvitation]) {
      expect(await eve.call(route, mine)).toMatchObject({ status: 404, ...detail("Invitation not found.") });
    }
    expect(await eve.call(declineInvitation, { params: { invitation_id: randomUUID() } })).toMatchObject({
      status: 404,
      ...detail("Invitation not found."),
    });
    expectStatus(await bob.call(declineInvitation, mine), 204);
    for (const route of [acceptInvitation, declineInvitation]) {
      expect(await bob.call(route, mine)).toMatchObject({
        status: 409,
        ...detail("This invitation has already been processed."),
      });
    }
    const newInvitation = await owner.answer(createInvitation, { params, body: { email: bob.email } });
    const revocation = { params: { ...params, invitation_id: newInvitation.id } };
    expectStatus(await owner.call(revokeInvitation, revocation), 204);
    expect(await owner.call(revokeInvitation, revocation)).toMatchObject({
      status: 409,
      ...detail("Only pending invitations can be revoked."),
    });
    expect((await bob.page(listMyInvitations)).total).toBe(0);
  });

  test("is deleted with the member who sent it, and with the role that allowed it", async () => {
    const { owner, params, join } = await organization();
    const [gone, demoted] = [await join("ADMIN"), await join("ADMIN")];
    const [bob, eve] = [await person("Bob"), await person("Eve")];
    const [first, second] = [
      await gone.answer(createInvitation, { params, body: { email: bob.email } }),
      await demoted.answer(createInvitation, { params, body: { email: eve.email } }),
    ];
    const ownersInvitation = await owner.answer(createInvitation, {
      params,
      body: { email: "a@b.example", role: "ADMIN" },
    });

    expectStatus(await owner.call(removeMember, { params: { ...params, user_id: gone.userId } }), 204);
    await owner.answer(updateMember, { params: { ...params, user_id: demoted.userId }, body: { role: "MEMBER" } });

    for (const [invited, { id }] of [
      [bob, first],
      [eve, second],
    ] as const) {
      expect((await invited.page(listMyInvitations)).total).toBe(0);
      expectStatus(await invited.call(acceptInvitation, { params: { invitation_id: id } }), 409);
    }
    const { items } = await owner.page(listInvitations, { params });
    expect(new Map(items.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        ...items.filter(({ status }) => status === "ACCEPTED").map(({ id, status }) => [id, status] as const),
        [first.id, "REVOKED"],
        [second.id, "REVOKED"],
        [ownersInvitation.id, "PENDING"],
      ]),
    );
  });
});

describe("a member", () => {
  test("gets another role from an owner, and loses access immediately on leaving", async () => {
    const { owner, params, join } = await organization();
    const member = await join("MEMBER");
    const memberParams = { ...params, user_id: member.userId };

    const promoted = await owner.answer(updateMember, { params: memberParams, body: { role: "ADMIN" } });
    expectStatus(await member.call(updateOrganization, { params, body: { name: "Admin was here" } }), 200);
    expectStatus(await member.call(removeMember, { params: memberParams }), 204);

    expect(promoted).toMatchObject({ role: "ADMIN", user_id: member.userId });
    expectStatus(await member.call(getOrganization, { params }), 403);
    expect((await owner.page(listMembers, { params })).total).toBe(1);
    expect((await member.page(listOrganizations)).items.map(({ id }) => id)).not.toContain(params.org_id);
  });

  test("who is the last owner cannot leave, and of two owners who leave at once one stays", async () => {
    const { owner, params, join } = await organization();
    const leave = (user: typeof owner) => user.call(removeMember, { params: { ...params, user_id: user.userId } });

    expect(await leave(owner)).toMatchObject({ status: 409 });
    const secondOwner = await join("OWNER");
    const replies = await Promise.all([leave(owner), leave(secondOwner)]);

    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    const stayed = replies[0]?.status === 409 ? owner : secondOwner;
    const { items } = await stayed.page(listMembers, { params });
    expect(items.map(({ user_id, role }) => [user_id, role])).toEqual([[stayed.userId, "OWNER"]]);
  });

  test("who is promoted and leaves at once always leaves an organization that has an owner", async () => {
    const { owner, params, join } = await organization();
    const member = await join("ADMIN");
    const memberParams = { ...params, user_id: member.userId };

    const replies = await Promise.all([
      owner.call(updateMember, { params: memberParams, body: { role: "OWNER" } }),
      member.call(removeMember, { params: memberParams }),
      owner.call(removeMember, { params: { ...params, user_id: owner.userId } }),
    ]);
    const listReplies = await Promise.all(
      [owner, member].map((each) => each.call(listMembers, { params, query: { offset: 0 } })),
    );

    expect(replies.every(({ status }) => status < 500)).toBe(true);
    const remainingMembers = listReplies.find(({ status }) => status === 200);
    expect(remainingMembers?.text).toContain('"role":"OWNER"');
  });
});

describe("the audit", () => {
  test("lists actions for admins, newest first, without those that were refused", async () => {
    const { owner, params, join } = await organization("Audited");
    const admin = await join("ADMIN");
    await admin.answer(updateOrganization, { params, body: { name: "Renamed" } });
    await owner.call(updateMember, { params: { ...params, user_id: owner.userId }, body: { role: "MEMBER" } });

    const { items, total } = await admin.answer(listAuditEvents, { params });
    const second = await admin.answer(listAuditEvents, { params, query: { limit: 1, offset: 1 } });

    expect(items.map(({ action, actor_id, target_id }) => [action, actor_id, target_id])).toEqual([
      ["organization.renamed", admin.userId, params.org_id],
      ["member.joined", admin.userId, admin.userId],
      ["invitation.created", owner.userId, items[2]?.target_id],
      ["organization.created", owner.userId, params.org_id],
    ]);
    expect(total).toBe(4);
    expect(second.items).toEqual([items[1]]);
  });
});
