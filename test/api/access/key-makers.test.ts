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

const noMaker = { status: 403, body: { detail: "Your role does not allow creating API keys in this organization." } };

const anonymous = clientWith(service, {});

/** Signs in from the command line. @returns the key that the sign-in issues. */
const signIn = async (user: Person, org_id: string, project_id: string, fields: object = {}) => {
  const verifier = randomBytes(32).toString("base64url");
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  const { code } = await user.answer(createCliCode, { body: { org_id, project_id, code_challenge, ...fields } });
  return anonymous.answer(exchangeCliCode, { body: { code, code_verifier: verifier } });
};

const world = async () => {
  const org = await organization();
  const { id: projectId } = await org.owner.answer(createProject, { params: org.params, body: { name: "checkout" } });
  const makeKey = (user: Person, body: object = {}) =>
    user.answer(createApiKey, { params: org.params, body: { name: "k", ...body } });
  const member = await org.join("MEMBER");
  return { ...org, projectId, makeKey, member };
};

describe("a key", () => {
  test("shows its maker, access and origin wherever it is returned", async () => {
    const { id, owner, params, projectId, makeKey, member } = await world();
    const apiKey = await makeKey(member, { access: "ingest", project_id: projectId.toUpperCase() });
    const signedIn = await signIn(member, id, projectId);

    const { items } = await owner.page(listApiKeys, { params });
    const storedKey = await owner.answer(getApiKey, { params: { ...params, key_id: apiKey.id } });

    expect(apiKey).toMatchObject({
      access: "ingest",
      project_id: projectId,
      created_by: member.userId,
      sign_in: false,
    });
    expect(apiKey.raw_key).toMatch(/^sk_as_s_[0-9a-f]{64}$/u);
    expect(apiKey.key_prefix).toBe(apiKey.raw_key?.slice(0, 10));
    expect(items.find((each) => each.id === apiKey.id)).toEqual({ ...apiKey, raw_key: null });
    expect(storedKey).toEqual({ ...apiKey, raw_key: null });
    expect(items.find((each) => each.id === signedIn.key_id)).toMatchObject({
      access: "full",
      project_id: null,
      created_by: member.userId,
      sign_in: true,
    });
  });

  test("has an audit entry with its access, and so has the project that it creates, with the key's maker", async () => {
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

  test("is not created with an unknown option or for a project that does not exist", async () => {
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

  test("keeps its restrictions when it is rotated, and the new key belongs to the user who rotates it", async () => {
    const { owner, params, projectId, makeKey, member } = await world();
    const old = await makeKey(member, { access: "read", project_id: projectId, expiration: "90d" });

    const rotatedKey = await owner.answer(rotateApiKey, { params: { ...params, key_id: old.id } });

    expect(rotatedKey).toMatchObject({ access: "read", project_id: projectId, created_by: owner.userId });
    expectStatus(await withKey(rotatedKey.raw_key, "checkout").call(createTrace, { body: someTrace() }), 403);
    expectStatus(await withKey(rotatedKey.raw_key, "checkout").call(listTraces), 200);
  });

  test("that the operator created has no maker and full access", async () => {
    const { id, owner, params } = await world();
    const { key } = await apiKeyStore(databaseAt(inject("storage"))).create(id, "of the operator");

    const { items } = await owner.page(listApiKeys, { params });

    expect(items).toMatchObject([{ created_by: null, access: "full", project_id: null, sign_in: false }]);
    expectStatus(await withKey(key, "another").call(listTraces), 200);
    expect((await owner.page(listProjects, { params })).items.map(({ name }) => name)).toContain("another");
  });

  test("can be revoked by its maker, who can neither delete its record nor revoke keys of others", async () => {
    const { owner, params, makeKey, member } = await world();
    const [ownKey, ownersKey] = [await makeKey(member), await makeKey(owner)];
    const revoke = (key_id: string, query = {}) =>
      member.call(deleteApiKey, { params: { ...params, key_id }, query: { permanent: "false", ...query } });

    const replies = [
      await revoke(ownersKey.id),
      await revoke(randomUUID()),
      await revoke(ownKey.id, { permanent: "true" }),
      await revoke(ownKey.id),
      await revoke(ownKey.id),
    ];

    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 204, 204]);
    const { items } = await owner.page(listApiKeys, { params });
    expect(items.map(({ id, is_active }) => [id, is_active])).toEqual([
      [ownersKey.id, true],
      [ownKey.id, false],
    ]);
  });
});

describe("permission to create keys", () => {
  test("is everybody's by default, and limited by the owner's setting on every route that creates keys", async () => {
    const { id, owner, params, projectId, makeKey, member, join } = await world();
    const admin = await join("ADMIN");
    const expiring = await makeKey(member, { expiration: "90d" });
    const code_challenge = createHash("sha256").update("v").digest("base64url");
    const createRequestsOf = (user: Person): readonly (() => Promise<Reply>)[] => [
      () => user.call(createApiKey, { params, body: { name: "k" } }),
      () => user.call(createCliCode, { body: { org_id: id, project_id: projectId, code_challenge } }),
      ...(user === member ? [] : [() => user.call(rotateApiKey, { params: { ...params, key_id: expiring.id } })]),
    ];
    const statuses = async (user: Person) =>
      (await inTurn(createRequestsOf(user), (create) => create())).map(({ status }) => status);

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

  test("is set by owners only, together with the name or alone", async () => {
    const { owner, params, member, join } = await world();
    const admin = await join("ADMIN");
    const change = (user: Person, body: object) => user.call(updateOrganization, { params, body });

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

  test("is checked again when a code is exchanged", async () => {
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

describe("when a member leaves", () => {
  /** A member with two keys, one of them from a sign-in. */
  const memberWithKeys = async () => {
    const setup = await world();
    const signedIn = await signIn(setup.member, setup.id, setup.projectId);
    const otherKey = await setup.makeKey(setup.member, { name: "production" });
    const ownersKey = await setup.makeKey(setup.owner);
    const member = { ...setup.params, user_id: setup.member.userId };
    const active = async () => {
      const { items } = await setup.owner.page(listApiKeys, { params: setup.params });
      return items.filter(({ is_active }) => is_active).map(({ id }) => id);
    };
    const otherKeySummary = { id: otherKey.id, name: "production", key_prefix: otherKey.key_prefix };
    return { ...setup, signedIn, otherKey, ownersKey, memberParams: member, active, otherKeySummary };
  };

  test("keys of sign-ins are revoked, and the remaining keys are listed", async () => {
    const { owner, params, memberParams, active, signedIn, otherKey, ownersKey, otherKeySummary } =
      await memberWithKeys();

    const reply = await owner.call(removeMember, { params: memberParams });

    expect(reply).toMatchObject({
      status: 200,
      body: {
        revoked_keys: [{ id: signedIn.key_id, key_prefix: signedIn.key_prefix }],
        remaining_keys: [otherKeySummary],
      },
    });
    expect(await active()).toEqual([ownersKey.id, otherKey.id]);
    expectStatus(await withKey(signedIn.api_key, "checkout").call(listTraces), 401);
    expectStatus(await withKey(otherKey.raw_key, "checkout").call(listTraces), 200);
    const { items } = await owner.answer(listAuditEvents, { params });
    expect(items.filter(({ action }) => action === "api_key.revoked")).toMatchObject([
      { actor_id: owner.userId, target_id: signedIn.key_id },
    ]);
  });

  test("all keys are revoked on request", async () => {
    const { owner, memberParams, active, ownersKey, otherKeySummary } = await memberWithKeys();
    const refusal = await owner.call(removeMember, { params: memberParams, query: { keys: "all" } });

    const reply = await owner.call(removeMember, { params: memberParams, query: { keys: "revoke" } });

    expect(problems(refusal)).toEqual(["query.keys"]);
    expect(reply).toMatchObject({ status: 200, body: { remaining_keys: [] } });
    expect(Object(reply.body).revoked_keys).toContainEqual(otherKeySummary);
    expect(await active()).toEqual([ownersKey.id]);
  });

  test("keys are revoked also when members leave by themselves or delete their account", async () => {
    const [leaves, deletes] = await inTurn([1, 2], memberWithKeys);

    const leaveReply = await leaves?.member.call(removeMember, { params: leaves.memberParams });
    const { items } = (await deletes?.member.page(listOrganizations)) ?? { items: [] };
    const ownOrganizationId = items.find(({ role }) => role === "OWNER")?.id ?? "";
    await deletes?.member.call(deleteOrganization, { params: { org_id: ownOrganizationId } });
    const gone = await deletes?.member.call(deleteMe);

    expect([leaveReply?.status, gone?.status]).toEqual([200, 204]);
    for (const each of [leaves, deletes]) expect(await each?.active()).toEqual([each?.ownersKey.id, each?.otherKey.id]);
  });

  test("a member without active keys gets a reply without a list of keys", async () => {
    const { owner, params, makeKey, member } = await world();
    const { id: key_id } = await makeKey(member);
    expectStatus(await member.call(deleteApiKey, { params: { ...params, key_id } }), 204);

    expect((await owner.call(removeMember, { params: { ...params, user_id: member.userId } })).status).toBe(204);
  });

  test("no key is created by a member who is removed or changes role at the same time", async () => {
    const { owner, params, member, memberParams } = await memberWithKeys();

    const [, ...createReplies] = await Promise.all([
      owner.call(removeMember, { params: memberParams, query: { keys: "revoke" } }),
      ...Array.from({ length: 8 }, () => member.call(createApiKey, { params, body: { name: "late" } })),
    ]);

    expect(createReplies.map(({ status }) => status).filter((status) => status !== 201 && status !== 403)).toEqual([]);
    const { items } = await owner.page(listApiKeys, { params });
    const theirs = items.filter(({ created_by }) => created_by === member.userId);
    expect(theirs.filter(({ is_active }) => is_active)).toEqual([]);
  });

  test("no key of a remaining member is revoked by changes of role", async () => {
    const { owner, memberParams, active, ownersKey, otherKey, signedIn, id, projectId } = await memberWithKeys();
    await owner.answer(updateMember, { params: memberParams, body: { role: "ADMIN" } });
    await owner.answer(updateMember, { params: memberParams, body: { role: "MEMBER" } });
    const newSignIn = await signIn(owner, id, projectId);

    expectStatus(await owner.call(removeMember, { params: { ...memberParams, user_id: owner.userId } }), 409);

    expect((await active()).toSorted()).toEqual(
      [ownersKey.id, otherKey.id, signedIn.key_id, newSignIn.key_id].toSorted(),
    );
  });
});

describe("a sign-in", () => {
  test("issues a key of the organization, or of its project on request", async () => {
    const { id, owner, projectId, member } = await world();
    const wide = await signIn(member, id, projectId);
    const narrow = await signIn(member, id, projectId, { scope: "project" });
    const refusal = await owner.call(createCliCode, {
      body: { org_id: id, project_id: projectId, code_challenge: "x".repeat(43), scopes: "project" },
    });

    expect(problems(refusal)).toEqual(["body.scopes"]);
    expectStatus(await withKey(wide.api_key, "onboarding").call(listTraces), 200);
    expectStatus(await withKey(narrow.api_key, "onboarding").call(listTraces), 403);
    expectStatus(await withKey(narrow.api_key, "checkout").call(createTrace, { body: someTrace() }), 202);
  });
});

describe("GET /projects", () => {
  test("lists the projects that a key can access, page by page, without a project name in the request", async () => {
    const { owner, projectId, makeKey } = await world();
    const [readKey, projectKey] = [
      await makeKey(owner, { access: "read" }),
      await makeKey(owner, { project_id: projectId }),
    ];

    const ofAll = await withKey(readKey.raw_key).answer(listReachableProjects);
    const ofOne = await withKey(projectKey.raw_key, "onboarding").answer(listReachableProjects);
    const pages = await inTurn([0, 1], (offset) =>
      withKey(readKey.raw_key).answer(listReachableProjects, { query: { limit: 1, offset } }),
    );
    const beyond = await withKey(projectKey.raw_key).answer(listReachableProjects, { query: { offset: 1 } });

    expect(ofAll.items.map(({ name }) => name)).toEqual(["checkout", "onboarding"]);
    expect(ofOne).toMatchObject({ items: [{ id: projectId, name: "checkout" }], total: 1 });
    expect([ofAll.key_access, ofOne.key_access]).toEqual(["read", "full"]);
    expect(pages.flatMap(({ items }) => items)).toEqual(ofAll.items);
    expect(beyond).toMatchObject({ items: [], total: 1 });
  });

  test("lists the projects of the organization that the user names, or of the oldest membership, and of no other", async () => {
    const { id, member } = await world();
    const outsider = await person();
    const listAs = (user: Person) =>
      user.call(listReachableProjects, { headers: { "X-Organization-ID": id, "X-Project-ID": "no id" } });

    const [first, second, foreign] = [
      await member.answer(listReachableProjects),
      await listAs(member),
      await listAs(outsider),
    ];

    expect(first.items.map(({ name }) => name)).toEqual(["onboarding"]);
    expect(first.key_access).toBeNull();
    expect(Object(second.body).items).toMatchObject([{ name: "checkout", org_id: id }, { name: "onboarding" }]);
    expect(foreign.status).toBe(403);
    expectStatus(await member.call(listReachableProjects, { headers: { "X-Organization-ID": "x" } }), 422);
  });
});
