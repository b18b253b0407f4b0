import * as v from "valibot";
import { replyInstant, page, pagingIfAsked, uuid } from "../fields.ts";
import { organizationName, organizationParams as params, role } from "./fields.ts";
import { route } from "../route.ts";

const keyMakers = v.pipe(role, v.description("The least role that may make API keys."));

const entries = { id: uuid, name: v.string(), created_at: replyInstant, key_makers: keyMakers };

const example = {
  id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
  name: "Example Ltd",
  created_at: "2026-11-21T09:00:00.000000+00:00",
  key_makers: "MEMBER",
} as const;

const organization = v.pipe(v.object(entries), v.title("Organization"), v.examples([example]));

const ownOrganization = v.pipe(
  v.object({ ...entries, role }),
  v.title("OwnOrganization"),
  v.description("An organization, and what the caller is in it."),
  v.examples([{ ...example, role: "OWNER" }]),
);

export const createOrganization = route({
  id: "createOrganization",
  method: "POST",
  repeats: "made",
  path: "/organizations",
  handler: "api/access/organizations/create-organization",
  summary: "Make an organization that the caller owns, with a project named onboarding",
  description:
    "A user may own a few organizations only (2 unless the operator chose otherwise); beyond that it is 403, as for whoever the operator lets make none.",
  access: "user",
  body: v.pipe(
    v.object({ name: organizationName }),
    v.title("OrganizationInput"),
    v.examples([{ name: "Example Ltd" }]),
  ),
  success: 201,
  reply: organization,
  grants: { access: ["PutItem", "UpdateItem"] },
});

export const deleteOrganization = route({
  id: "deleteOrganization",
  method: "DELETE",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/delete-organization",
  summary: "Delete an organization and everything of it",
  description:
    "For owners. It is hidden at once, what is sent to its projects is refused at once, its keys stop working within 5 seconds, and what it had is removed in the " +
    "background; `GET /me/deletions` has the receipt.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "It was changed at the same time.",
  grants: { access: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
});

export const listOrganizations = route({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  handler: "api/access/organizations/list-organizations",
  summary: "List the caller's organizations, the newest membership first",
  access: "user",
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(ownOrganization), page(ownOrganization)]),
  grants: { access: ["BatchGetItem", "Query"] },
});

export const getOrganization = route({
  id: "getOrganization",
  method: "GET",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/get-organization",
  summary: "Read an organization",
  access: "user",
  params,
  success: 200,
  reply: ownOrganization,
  grants: { access: ["GetItem"] },
});

export const updateOrganization = route({
  id: "updateOrganization",
  method: "PATCH",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/update-organization",
  summary: "Rename an organization, and say who may make API keys",
  description: "For admins and owners; `key_makers` for owners.",
  access: "user",
  params,
  body: v.pipe(
    v.object({ name: v.nullish(organizationName), key_makers: v.nullish(keyMakers) }),
    v.title("OrganizationUpdate"),
    v.description("Null or absent leaves a field as it is."),
    v.examples([{ name: "Example Ltd" }]),
  ),
  success: 200,
  reply: organization,
  grants: { access: ["GetItem", "PutItem", "UpdateItem"] },
});
