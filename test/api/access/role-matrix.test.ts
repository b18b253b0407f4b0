import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { createInvitation } from "../../../lib/contract/access/invitations.ts";
import { createProject } from "../../../lib/contract/access/projects.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import type { Role } from "../../../lib/domain/access/role.ts";
import { inTurn } from "../../support/in-turn.ts";
import { type Client, clientWith } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";
import { sample } from "../../support/sample.ts";

const service = inject("service");
const { person, organization } = people();

const callers = ["OWNER", "ADMIN", "MEMBER", "LABELLER", "outsider", "key", "nobody"] as const;
type Caller = (typeof callers)[number];

/** The minimum role that each route of an organization requires; a new route needs its line. */
const minimumRole: Readonly<Record<string, Role>> = {
  getOrganization: "MEMBER",
  updateOrganization: "ADMIN",
  deleteOrganization: "OWNER",
  listMembers: "MEMBER",
  updateMember: "OWNER",
  removeMember: "ADMIN",
  createInvitation: "ADMIN",
  listInvitations: "MEMBER",
  revokeInvitation: "ADMIN",
  createProject: "ADMIN",
  listProjects: "LABELLER",
  getProject: "LABELLER",
  updateProject: "ADMIN",
  createRepricing: "ADMIN",
  listRepricings: "MEMBER",
  deleteProject: "OWNER",
  createApiKey: "MEMBER",
  listApiKeys: "MEMBER",
  getApiKey: "MEMBER",
  rotateApiKey: "ADMIN",
  deleteApiKey: "ADMIN",
  listAuditEvents: "ADMIN",
  listDeletions: "MEMBER",
  getSubscription: "MEMBER",
  getUsage: "MEMBER",
  getBilling: "MEMBER",
  listInvoices: "MEMBER",
  openCheckout: "MEMBER",
  openPortal: "MEMBER",
};

/** Routes of payments, which answer 404 because nothing is charged. */
const paymentRoutes: ReadonlySet<string> = new Set(["openCheckout", "openPortal"]);

const bodies: Readonly<Record<string, () => object>> = {
  updateOrganization: () => ({ name: "Matrix" }),
  updateMember: () => ({ role: "ADMIN" }),
  createInvitation: () => ({ email: `${randomUUID()}@example.com` }),
  createProject: () => ({ name: randomUUID() }),
  updateProject: () => ({ description: randomUUID() }),
  createApiKey: () => ({ name: "k" }),
  createRepricing: () => ({ date_from: "2026-10-01", date_to: "2026-10-02" }),
};

const ofOrganizations = routes.filter(({ path }) => path.startsWith("/organizations/{org_id}"));

/** Expected status for a caller of a role: the route's own, 403, or 401. */
const expected = (route: Route, caller: Caller): number => {
  if (caller === "key" || caller === "nobody") return 401;
  const needed = minimumRole[route.id];
  if (needed === undefined) throw new Error(`Add the least role of ${route.id} to the matrix.`);
  const order: readonly Caller[] = ["OWNER", "ADMIN", "MEMBER", "LABELLER"];
  const rank = order.indexOf(caller);
  return rank >= 0 && rank <= order.indexOf(needed) ? (paymentRoutes.has(route.id) ? 404 : route.success) : 403;
};

/** An organization with a client for each role, and clients from outside of it. */
const newWorld = async () => {
  const org = await organization();
  const { owner, params, join } = org;
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "matrix" } });
  const clients: Readonly<Record<Caller, Client>> = {
    OWNER: owner,
    ADMIN: await join("ADMIN"),
    MEMBER: await join("MEMBER"),
    LABELLER: await join("LABELLER"),
    outsider: await person(),
    key: clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "onboarding" }),
    nobody: clientWith(service, {}),
  };
  return { ...org, clients };
};

type RoleWorld = Awaited<ReturnType<typeof newWorld>>;

let shared: RoleWorld;

beforeAll(async () => {
  shared = await newWorld();
});

/** Path parameters of a route: entities of the organization, created for this call. */
const paramsOf = async (
  { path }: Route,
  { owner, params, join }: RoleWorld,
): Promise<Readonly<Record<string, string>>> => {
  if (path.includes("{user_id}")) return { ...params, user_id: (await join("MEMBER")).userId };
  if (path.includes("{invitation_id}")) {
    const body = { email: `${randomUUID()}@example.com` };
    return { ...params, invitation_id: (await owner.answer(createInvitation, { params, body })).id };
  }
  if (path.includes("{project_id}")) {
    const body = { name: randomUUID() };
    return { ...params, project_id: (await owner.answer(createProject, { params, body })).id };
  }
  if (path.includes("{key_id}")) {
    const body = { name: "k", expiration: "90d" };
    return { ...params, key_id: (await owner.answer(createApiKey, { params, body })).id };
  }
  return params;
};

describe.each(
  sample(
    "roles",
    ofOrganizations.map((route) => [`${route.method} ${route.path}`, route] as const),
  ),
)("%s", (_, route) => {
  test("allows each role that it should, and refuses outsiders, keys and anonymous callers", async () => {
    const statuses: Partial<Record<Caller, number>> = {};
    const world = route.id === "deleteOrganization" ? await newWorld() : shared;
    const params = await paramsOf(route, world);
    // Lowest role first: the entity that a refused caller named still exists for the next caller.
    for (const caller of callers.toReversed()) {
      const fresh = caller in statuses || expected(route, caller) >= 400 ? params : await paramsOf(route, world);
      const body = bodies[route.id]?.();
      const reply = await world.clients[caller].call(route, { params: fresh, ...(body !== undefined && { body }) });
      statuses[caller] = reply.status;
    }

    expect(statuses).toEqual(Object.fromEntries(callers.map((caller) => [caller, expected(route, caller)])));
  });
});

const ofUsers = routes.filter(({ access, path }) => access === "user" && !path.startsWith("/organizations/{org_id}"));

test.each(
  sample(
    "users",
    ofUsers.map((route) => [`${route.method} ${route.path}`, route] as const),
  ),
)("%s is for users only", async (_, route) => {
  const body = route.body === undefined ? {} : { body: {} };
  const replies = await inTurn(["key", "nobody", "outsider"] as const, (caller) =>
    shared.clients[caller].call(route, body),
  );

  expect(replies.slice(0, 2).map(({ status }) => status)).toEqual([401, 401]);
  expect(replies[2]?.status).not.toBe(401);
});
