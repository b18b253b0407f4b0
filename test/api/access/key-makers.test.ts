import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  rotateApiKey,
} from "../../../lib/contract/access/api-keys.ts";
import { listAuditEvents } from "../../../lib/contract/access/audit.ts";
import { createCliCode, exchangeCliCode } from "../../../lib/contract/access/cli.ts";
import { deleteMe } from "../../../lib/contract/access/me.ts";
import { removeMember, updateMember } from "../../../lib/contract/access/members.ts";
import {
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "../../../lib/contract/access/organizations.ts";
import { createProject, listProjects, listReachableProjects } from "../../../lib/contract/access/projects.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { inTurn } from "../../support/in-turn.ts";
import { expectStatus, problems, type Reply } from "../../support/reply-shape.ts";
import { clientWith } from "../../support/service/client.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people, type Person } from "../../support/users.ts";

const service = inject("service");
const { person, organization } = people();

const withKey = (key: string | null, project?: string) =>
  clientWith(service, { "X-API-Key": key ?? "", ...(project !== undefined && { "X-Project-Name": project }) });

const noMaker = { status: 403, body: { detail: "Your role may not make API keys in this organization." } };

const anonymous = clientWith(service, {});

/** A command line that is signed in: the key that it gets. */
const signIn = async (who: Person, org_id: string, project_id: string, more: object = {}) => {
  const verifier = randomBytes(32).toString("base64url");
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const { code } = await who.answer(createCliCode, { body: { org_id, project_id, code_challenge, ...more } });
  return anonymous.answer(exchangeCliCode, { body: { code, code_verifier: verifier } });
};

const world = async () => {
  const made = await organization();
  const { id: projectId } = await made.owner.answer(createProject, { params: made.params, body: { name: "checkout" } });
  const makeKey = (who: Person, body: object = {}) =>
    who.answer(createApiKey, { params: made.params, body: { name: "k", ...body } });
  const member = await made.join("MEMBER");
  return { ...made, projectId, makeKey, member };
};

describe("a key", () => {
  test("says who made it, what it may do and how it came to be, wherever it is shown", async () => {
    const { id, owner, params, projectId, makeKey, member } = await world();
    const made = await makeKey(member, { access: "ingest", project_id: projectId.toUpperCase() });
    const signedIn = await signIn(member, id, projectId);

    const { items } = await owner.page(listApiKeys, { params });
    const read = await owner.answer(getApiKey, { params: { ...params, key_id: made.id } });

    expect(made).toMatchObject({ access: "ingest", project_id: projectId, created_by: member.userId, sign_in: false });
    expect(made.raw_key).toMatch(/^sk_as_s_[0-9a-f]{64}$/u);
    expect(made.key_prefix).toBe(made.raw_key?.slice(0, 10));
    expect(items.find((each) => each.id === made.id)).toEqual({ ...made, raw_key: null });
    expect(read).toEqual({ ...made, raw_key: null });
    expect(items.find((each) => each.id === signedIn.key_id)).toMatchObject({
      access: "full",
      project_id: null,
      created_by: member.userId,
      sign_in: true,
    });
  });

  test("stands in the audit with what it may do, and so does the project that it makes, with its maker", async () => {
    const { owner, params, makeKey, member, projectId } = await world();
    const bound = await makeKey(member, { access: "read", project_id: projectId });
    const free = await makeKey(member);
    expectStatus(await withKey(free.raw_key, "named-first").call(createTrace, { body: someTrace() }), 202);

    const { items } = await owner.answer(listAuditEvents, { params });
    const about = (target: string) => items.find(({ target_id }) => target_id === target);

    expect(about(bound.id)).toMatchObject({
      action: "api_key.created",
      actor_id: member.userId,
      details: { name: "k", access: "read", project: projectId },
    });
    expect(items.find(({ details }) => details["name"] === "named-first")).toMatchObject({
      action: "project.created",
      actor_type: "API_KEY",
      actor_id: free.id,
      details: { key_maker: member.userId },
    });
  });

  test("is not made when something is asked of it that nobody knows, or a project that is not there", async () => {
    const [{ owner, params, projectId, makeKey }, theirs] = await Promise.all([world(), organization()]);
    const foreign = await theirs.owner.answer(createProject, { params: theirs.params, body: { name: "theirs" } });
    const call = (body: object) => owner.call(createApiKey, { params, body: { name: "k", ...body } });

    const unknown = await inTurn(
      [{ scope: "read" }, { scopes: ["read"] }, { projectId }, { Access: "read" }, { read_only: true }],
      call,
    );
    const wrong = await inTurn([{ access: "READ" }, { access: null }, { access: ["read"] }, { project_id: "x" }], call);
    const missing = await inTurn([randomUUID(), foreign.id], (project_id) => call({ project_id }));

    expect(unknown.map((reply) => [reply.status, problems(reply)])).toEqual([
      [422, ["body.scope"]],
      [422, ["body.scopes"]],
      [422, ["body.projectId"]],
      [422, ["body.Access"]],
      [422, ["body.read_only"]],
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect(missing.map(({ status }) => status)).toEqual([404, 404]);
    expect((await owner.page(listApiKeys, { params })).total).toBe(0);
    expect((await makeKey(owner, { project_id: null })).project_id).toBeNull();
  });

  test("is held to what it was held to when it is rotated, and its successor is who rotates it's", async () => {
    const { owner, params, projectId, makeKey, member } = await world();
    const old = await makeKey(member, { access: "read", project_id: projectId, expiration: "90d" });

    const made = await owner.answer(rotateApiKey, { params: { ...params, key_id: old.id } });

    expect(made).toMatchObject({ access: "read", project_id: projectId, created_by: owner.userId });
    expectStatus(await withKey(made.raw_key, "checkout").call(createTrace, { body: someTrace() }), 403);
    expectStatus(await withKey(made.raw_key, "checkout").call(listTraces), 200);
  });

  test("that the operator made has no maker, and may do all", async () => {
    const { id, owner, params } = await world();
    const { key } = await apiKeyStore(databaseAt(inject("storage"))).create(id, "of the operator");

    const { items } = await owner.page(listApiKeys, { params });

    expect(items).toMatchObject([{ created_by: null, access: "full", project_id: null, sign_in: false }]);
    expectStatus(await withKey(key, "another").call(listTraces), 200);
    expect((await owner.page(listProjects, { params })).items.map(({ name }) => name)).toContain("another");
  });

  test("is revoked by its maker, who removes no record and no other's key", async () => {
    const { owner, params, makeKey, member } = await world();
    const [own, owners] = [await makeKey(member), await makeKey(owner)];
    const revoke = (key_id: string, query = {}) =>
      member.call(deleteApiKey, { params: { ...params, key_id }, query: { permanent: "false", ...query } });

    const replies = [
      await revoke(owners.id),
      await revoke(randomUUID()),
      await revoke(own.id, { permanent: "true" }),
      await revoke(own.id),
      await revoke(own.id),
    ];

    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 204, 204]);
    const { items } = await owner.page(listApiKeys, { params });
    expect(items.map(({ id, is_active }) => [id, is_active])).toEqual([
      [owners.id, true],
      [own.id, false],
    ]);
  });
});

describe("who may make keys", () => {
  test("is everybody at first, and whom the owner says then, by every way there is", async () => {
    const { id, owner, params, projectId, makeKey, member, join } = await world();
    const admin = await join("ADMIN");
    const expiring = await makeKey(member, { expiration: "90d" });
    const code_challenge = createHash("sha256").update("v").digest("base64url");
    const waysOf = (who: Person): readonly (() => Promise<Reply>)[] => [
      () => who.call(createApiKey, { params, body: { name: "k" } }),
      () => who.call(createCliCode, { body: { org_id: id, project_id: projectId, code_challenge } }),
      ...(who === member ? [] : [() => who.call(rotateApiKey, { params: { ...params, key_id: expiring.id } })]),
    ];
    const statuses = async (who: Person) => (await inTurn(waysOf(who), (way) => way())).map(({ status }) => status);

    expect(await owner.answer(getOrganization, { params })).toMatchObject({ key_makers: "MEMBER" });
    expect(await statuses(member)).toEqual([201, 201]);
    await owner.answer(updateOrganization, { params, body: { key_makers: "ADMIN" } });
    expect([await statuses(member), await statuses(admin)]).toEqual([
      [403, 403],
      [201, 201, 201],
    ]);
    expect(await owner.answer(updateOrganization, { params, body: { key_makers: "OWNER" } })).toMatchObject({
      name: "Acme",
      key_makers: "OWNER",
    });
    expect([await statuses(admin), await statuses(owner)]).toEqual([
      [403, 403, 403],
      [201, 201, 201],
    ]);
    expect(await member.call(createApiKey, { params, body: { name: "k" } })).toMatchObject(noMaker);
    expect((await member.page(listOrganizations)).items.find((each) => each.id === id)).toMatchObject({
      key_makers: "OWNER",
    });
    const { items } = await owner.answer(listAuditEvents, { params });
    expect(items.filter(({ action }) => action === "organization.key_makers_changed")).toMatchObject([
      { details: { role: "OWNER" } },
      { details: { role: "ADMIN" } },
    ]);
  });

  test("is said by owners alone, who may say it with a name", async () => {
    const { owner, params, member, join } = await world();
    const admin = await join("ADMIN");
    const change = (who: Person, body: object) => who.call(updateOrganization, { params, body });

    const replies = [
      await change(member, { key_makers: "MEMBER" }),
      await change(admin, { key_makers: "ADMIN" }),
      await change(owner, { key_makers: "NOBODY" }),
      await change(admin, { name: "Renamed", key_makers: null }),
      await change(owner, { name: "Both", key_makers: "ADMIN" }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([403, 403, 422, 200, 200]);
    expect(replies[4]).toMatchObject({ body: { name: "Both", key_makers: "ADMIN" } });
  });

  test("is asked again when a code is exchanged", async () => {
    const { id, owner, params, projectId, member } = await world();
    const verifier = randomBytes(32).toString("base64url");
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const { code } = await member.answer(createCliCode, {
      body: { org_id: id, project_id: projectId, code_challenge },
    });
    await owner.answer(updateOrganization, { params, body: { key_makers: "ADMIN" } });
    const exchange = () => anonymous.call(exchangeCliCode, { body: { code, code_verifier: verifier } });

    const replies = [await exchange(), await exchange()];

    expect(replies[0]).toMatchObject(noMaker);
    expect(replies[1]?.status).toBe(401);
    expect((await owner.page(listApiKeys, { params })).total).toBe(0);
  });
});

describe("when a member goes", () => {
  /** A member with a key of a sign-in and another one. */
  const leaver = async () => {
    const made = await world();
    const signedIn = await signIn(made.member, made.id, made.projectId);
    const other = await made.makeKey(made.member, { name: "production" });
    const owners = await made.makeKey(made.owner);
    const member = { ...made.params, user_id: made.member.userId };
    const active = async () => {
      const { items } = await made.owner.page(listApiKeys, { params: made.params });
      return items.filter(({ is_active }) => is_active).map(({ id }) => id);
    };
    const told = { id: other.id, name: "production", key_prefix: other.key_prefix };
    return { ...made, signedIn, other, owners, memberParams: member, active, told };
  };

  test("the keys of the sign-ins end, and those that go on are named", async () => {
    const { owner, params, memberParams, active, signedIn, other, owners, told } = await leaver();

    const reply = await owner.call(removeMember, { params: memberParams });

    expect(reply).toMatchObject({
      status: 200,
      body: { revoked_keys: [{ id: signedIn.key_id, key_prefix: signedIn.key_prefix }], remaining_keys: [told] },
    });
    expect(await active()).toEqual([owners.id, other.id]);
    expectStatus(await withKey(signedIn.api_key, "checkout").call(listTraces), 401);
    expectStatus(await withKey(other.raw_key, "checkout").call(listTraces), 200);
    const { items } = await owner.answer(listAuditEvents, { params });
    expect(items.filter(({ action }) => action === "api_key.revoked")).toMatchObject([
      { actor_id: owner.userId, target_id: signedIn.key_id },
    ]);
  });

  test("all keys end when that is asked for", async () => {
    const { owner, memberParams, active, owners, told } = await leaver();
    const refused = await owner.call(removeMember, { params: memberParams, query: { keys: "all" } });

    const reply = await owner.call(removeMember, { params: memberParams, query: { keys: "revoke" } });

    expect(problems(refused)).toEqual(["query.keys"]);
    expect(reply).toMatchObject({ status: 200, body: { remaining_keys: [] } });
    expect(Object(reply.body).revoked_keys).toContainEqual(told);
    expect(await active()).toEqual([owners.id]);
  });

  test("they end with who leaves by themselves, and with who leaves the service", async () => {
    const [leaves, deletes] = await inTurn([1, 2], leaver);

    const left = await leaves?.member.call(removeMember, { params: leaves.memberParams });
    const { items } = (await deletes?.member.page(listOrganizations)) ?? { items: [] };
    const own = items.find(({ role }) => role === "OWNER")?.id ?? "";
    await deletes?.member.call(deleteOrganization, { params: { org_id: own } });
    const gone = await deletes?.member.call(deleteMe);

    expect([left?.status, gone?.status]).toEqual([200, 204]);
    for (const each of [leaves, deletes]) expect(await each?.active()).toEqual([each?.owners.id, each?.other.id]);
  });

  test("nothing is told of one who had no key that worked", async () => {
    const { owner, params, makeKey, member } = await world();
    const { id: key_id } = await makeKey(member);
    expectStatus(await member.call(deleteApiKey, { params: { ...params, key_id } }), 204);

    expect((await owner.call(removeMember, { params: { ...params, user_id: member.userId } })).status).toBe(204);
  });

  test("no key is made by who was removed or has another role at the same time", async () => {
    const { owner, params, member, memberParams } = await leaver();

    const [, ...made] = await Promise.all([
      owner.call(removeMember, { params: memberParams, query: { keys: "revoke" } }),
      ...Array.from({ length: 8 }, () => member.call(createApiKey, { params, body: { name: "late" } })),
    ]);

    expect(made.map(({ status }) => status).filter((status) => status !== 201 && status !== 403)).toEqual([]);
    const { items } = await owner.page(listApiKeys, { params });
    const theirs = items.filter(({ created_by }) => created_by === member.userId);
    expect(theirs.filter(({ is_active }) => is_active)).toEqual([]);
  });

  test("nothing ends of one who stays, whatever becomes of their role", async () => {
    const { owner, memberParams, active, owners, other, signedIn, id, projectId } = await leaver();
    await owner.answer(updateMember, { params: memberParams, body: { role: "ADMIN" } });
    await owner.answer(updateMember, { params: memberParams, body: { role: "MEMBER" } });
    const again = await signIn(owner, id, projectId);

    expectStatus(await owner.call(removeMember, { params: { ...memberParams, user_id: owner.userId } }), 409);

    expect((await active()).toSorted()).toEqual([owners.id, other.id, signedIn.key_id, again.key_id].toSorted());
  });
});

describe("a sign-in", () => {
  test("gets a key of the organization, or of its project where that is asked for", async () => {
    const { id, owner, projectId, member } = await world();
    const wide = await signIn(member, id, projectId);
    const narrow = await signIn(member, id, projectId, { scope: "project" });
    const refused = await owner.call(createCliCode, {
      body: { org_id: id, project_id: projectId, code_challenge: "x".repeat(43), scopes: "project" },
    });

    expect(problems(refused)).toEqual(["body.scopes"]);
    expectStatus(await withKey(wide.api_key, "onboarding").call(listTraces), 200);
    expectStatus(await withKey(narrow.api_key, "onboarding").call(listTraces), 403);
    expectStatus(await withKey(narrow.api_key, "checkout").call(createTrace, { body: someTrace() }), 202);
  });
});

describe("GET /projects", () => {
  test("tells a key what it reaches, page by page, without the name of a project", async () => {
    const { owner, projectId, makeKey } = await world();
    const [all, one] = [await makeKey(owner, { access: "read" }), await makeKey(owner, { project_id: projectId })];

    const ofAll = await withKey(all.raw_key).answer(listReachableProjects);
    const ofOne = await withKey(one.raw_key, "onboarding").answer(listReachableProjects);
    const pages = await inTurn([0, 1], (offset) =>
      withKey(all.raw_key).answer(listReachableProjects, { query: { limit: 1, offset } }),
    );
    const beyond = await withKey(one.raw_key).answer(listReachableProjects, { query: { offset: 1 } });

    expect(ofAll.items.map(({ name }) => name)).toEqual(["checkout", "onboarding"]);
    expect(ofOne).toMatchObject({ items: [{ id: projectId, name: "checkout" }], total: 1 });
    expect([ofAll.key_access, ofOne.key_access]).toEqual(["read", "full"]);
    expect(pages.flatMap(({ items }) => items)).toEqual(ofAll.items);
    expect(beyond).toMatchObject({ items: [], total: 1 });
  });

  test("tells a user of the organization that is named, or of the oldest membership, and of no other", async () => {
    const { id, member } = await world();
    const outsider = await person();
    const named = (who: Person) =>
      who.call(listReachableProjects, { headers: { "X-Organization-ID": id, "X-Project-ID": "no id" } });

    const [first, second, foreign] = [
      await member.answer(listReachableProjects),
      await named(member),
      await named(outsider),
    ];

    expect(first.items.map(({ name }) => name)).toEqual(["onboarding"]);
    expect(first.key_access).toBeNull();
    expect(Object(second.body).items).toMatchObject([{ name: "checkout", org_id: id }, { name: "onboarding" }]);
    expect(foreign.status).toBe(403);
    expectStatus(await member.call(listReachableProjects, { headers: { "X-Organization-ID": "x" } }), 422);
  });
});
