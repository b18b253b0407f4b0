import { createHash, randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey, listApiKeys } from "../../../lib/contract/access/api-keys.ts";
import { listAuditEvents } from "../../../lib/contract/access/audit.ts";
import { createCliCode, exchangeCliCode } from "../../../lib/contract/access/cli.ts";
import { createInvitation, listInvitations } from "../../../lib/contract/access/invitations.ts";
import { acceptInvitation, getMe } from "../../../lib/contract/access/me.ts";
import { listMembers, removeMember, updateMember } from "../../../lib/contract/access/members.ts";
import { listOrganizations, updateOrganization } from "../../../lib/contract/access/organizations.ts";
import { createProject, listProjects } from "../../../lib/contract/access/projects.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { clientWith } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people, type Person } from "../../support/users.ts";

const service = inject("service");
const { person, organization } = people();

const withKey = (key: string | null) => clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": "checkout" });
const withProject = ({ token }: Person, id: string) =>
  clientWith(service, { Authorization: `Bearer ${token}`, "X-Project-ID": id });

const world = async () => {
  const org = await organization();
  const { id: projectId } = await org.owner.answer(createProject, { params: org.params, body: { name: "checkout" } });
  const setRole = (user: Person, role: string) =>
    org.owner.call(updateMember, { params: { ...org.params, user_id: user.userId }, body: { role } });
  return { ...org, projectId, setRole };
};

const codeRequest = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, code_challenge: createHash("sha256").update(verifier).digest("base64url") };
};

const exchange = (code: string, code_verifier: string) =>
  clientWith(service, {}).call(exchangeCliCode, { body: { code, code_verifier } });

test("a labeller signs in, reads the names of organizations and projects, and leaves, but changes nobody else", async () => {
  const { id, owner, params, projectId, join } = await world();
  const labeller = await join("LABELLER");

  const me = await labeller.call(getMe, { headers: { "X-Organization-ID": id } });
  const { items } = await labeller.page(listOrganizations);
  const projects = await labeller.page(listProjects, { params });
  const lists = await inTurn([listMembers, listInvitations, listApiKeys, listAuditEvents], (list) =>
    labeller.call<Route>(list, { params }),
  );
  const remove = (user_id: string) => labeller.call(removeMember, { params: { ...params, user_id } });
  const removals = await inTurn([owner.userId, randomUUID(), labeller.userId], remove);

  expectStatus(me, 200);
  expect(items.find((each) => each.id === id)?.role).toBe("LABELLER");
  expect(projects.items.map((each) => each.id)).toContain(projectId);
  expect(lists.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(removals.map(({ status }) => status)).toEqual([403, 403, 204]);
  expectStatus(await labeller.call(listProjects, { params }), 403);
});

test("a labeller can neither read nor send traces, by token or by a key with the access label", async () => {
  const { owner, params, projectId, join } = await world();
  const labeller = await join("LABELLER");
  const { trace_id } = await withProject(owner, projectId).answer(createTrace, { body: someTrace() });
  const body = { name: "queue", access: "label", project_id: projectId };
  const { raw_key, access } = await owner.answer(createApiKey, { params, body });

  const replies = await inTurn([withProject(labeller, projectId), withKey(raw_key)], async (client) => [
    (await client.call(getTrace, { params: { trace_id }, query: { include: "scores" } })).status,
    (await client.call(listTraces)).status,
    (await client.call(createTrace, { body: someTrace() })).status,
  ]);

  expect(access).toBe("label");
  expect(replies.flat()).toEqual([403, 403, 403, 403, 403, 403]);
  expectStatus(await withProject(owner, projectId).call(listTraces), 200);
});

test("a member who becomes a labeller loses reading, the keys of sign-ins and a code that is not exchanged yet", async () => {
  const { id: org_id, owner, params, projectId, join, setRole } = await world();
  const member = await join("MEMBER");
  const [first, second] = [codeRequest(), codeRequest()];
  const askCode = ({ code_challenge }: typeof first) =>
    member.answer(createCliCode, { body: { org_id, project_id: projectId, code_challenge } });
  const { body } = await exchange((await askCode(first)).code, first.verifier);
  const signedIn = (body as { readonly api_key: string }).api_key;
  const { raw_key } = await member.answer(createApiKey, { params, body: { name: "production" } });
  const { code } = await askCode(second);
  expectStatus(await setRole(member, "LABELLER"), 200);

  expectStatus(await exchange(code, second.verifier), 403);
  expectStatus(await exchange(code, second.verifier), 401);
  expectStatus(await withKey(signedIn).call(listTraces), 401);
  expectStatus(await withKey(raw_key).call(listTraces), 200);
  expectStatus(await withProject(member, projectId).call(createTrace, { body: someTrace() }), 403);
  expect((await owner.page(listApiKeys, { params })).items.map(({ is_active }) => is_active)).toEqual([true, false]);
  const audit = await owner.answer(listAuditEvents, { params });
  expect(audit.items.slice(0, 2)).toMatchObject([
    { action: "api_key.revoked", actor_id: owner.userId },
    { action: "member.role_changed", target_id: member.userId, details: { before: "MEMBER", role: "LABELLER" } },
  ]);
  expectStatus(await setRole(member, "MEMBER"), 200);
  expectStatus(await withProject(member, projectId).call(createTrace, { body: someTrace() }), 202);
});

test("admins invite and remove labellers, and labellers can neither invite nor be allowed to create keys", async () => {
  const { owner, params, join } = await world();
  const [admin, labeller, guest] = [await join("ADMIN"), await join("LABELLER"), await person()];
  const invite = (by: Person, role: string) =>
    by.call(createInvitation, { params, body: { email: guest.email, role } });

  const refused = [await invite(labeller, "LABELLER"), await invite(admin, "ADMIN")];
  const sent = await invite(admin, "LABELLER");
  const invitation_id = (sent.body as { readonly id: string }).id;
  const joined = await guest.call(acceptInvitation, { params: { invitation_id } });
  const makers = await owner.call(updateOrganization, { params, body: { key_makers: "LABELLER" } });
  const key = await labeller.call(createApiKey, { params, body: { name: "k", access: "label" } });
  const removed = await admin.call(removeMember, { params: { ...params, user_id: guest.userId } });

  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  expect(joined).toMatchObject({ status: 200, body: { role: "LABELLER" } });
  expect([makers, key, removed].map(({ status }) => status)).toEqual([422, 403, 204]);
});
