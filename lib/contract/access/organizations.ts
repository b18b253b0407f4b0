import * as v from "valibot";
import { oneOf, replyInstant, page, optionalPaging, uuid } from "../schema/fields.ts";
import { fullRoles } from "../../domain/access/role.ts";
import { organizationName, organizationParams as params, role } from "./fields.ts";
import { route } from "../route.ts";

const keyMakers = v.pipe(oneOf(fullRoles), v.description("Lowest role that can create API keys."));

const organizationFields = { id: uuid, name: v.string(), created_at: replyInstant, key_makers: keyMakers };

const exampleOrganization = {
  id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
  name: "Example Ltd",
  created_at: "2026-11-21T09:00:00.000000+00:00",
  key_makers: "MEMBER",
} as const;

const organization = v.pipe(v.object(organizationFields), v.title("Organization"), v.examples([exampleOrganization]));

const organizationWithRole = v.pipe(
  v.object({ ...organizationFields, role }),
  v.title("OrganizationWithRole"),
  v.description("An organization with the role of the caller."),
  v.examples([{ ...exampleOrganization, role: "OWNER" }]),
);

export const createOrganization = route({
  id: "createOrganization",
  method: "POST",
  idempotency: "derived-id",
  path: "/organizations",
  handler: "api/access/organizations/create-organization",
  summary: "Create an organization",
  description:
    "Creates an organization with the caller as owner and a project named `onboarding`. A user can own two organizations unless the " +
    "operator has set another limit; beyond that, and for users whom the operator does not allow to create any, the reply is 403.",
  access: "user",
  body: v.pipe(
    v.object({ name: organizationName }),
    v.title("OrganizationInput"),
    v.examples([{ name: "Example Ltd" }]),
  ),
  success: 201,
  reply: organization,
  grants: {
    access: {
      GetItem: ["organization", "user"],
      PutItem: ["audit", "organization", "project", "user"],
      UpdateItem: ["user"],
    },
  },
});

export const deleteOrganization = route({
  id: "deleteOrganization",
  method: "DELETE",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/delete-organization",
  summary: "Delete an organization",
  description:
    "Deletes the organization with all its data. Requires the owner role. The organization is hidden and its projects accept no data " +
    "at once, its API keys stop working within 5 seconds, and its data is removed in the background; `GET /me/deletions` has the " +
    "receipt.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The organization was changed at the same time.",
  grants: {
    access: {
      UpdateItem: ["organization", "user"],
      PutItem: ["deletion", "openDeletions", "user"],
      DeleteItem: ["organization", "user"],
    },
  },
});

export const listOrganizations = route({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  handler: "api/access/organizations/list-organizations",
  summary: "List organizations",
  description: "Returns the organizations of the caller, newest membership first.",
  access: "user",
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(organizationWithRole), page(organizationWithRole)]),
  grants: { access: { BatchGetItem: ["organization"], Query: ["user"] } },
});

export const getOrganization = route({
  id: "getOrganization",
  method: "GET",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/get-organization",
  summary: "Get an organization",
  access: "user",
  params,
  success: 200,
  reply: organizationWithRole,
  grants: { access: { GetItem: ["organization"] } },
});

export const updateOrganization = route({
  id: "updateOrganization",
  method: "PATCH",
  path: "/organizations/{org_id}",
  handler: "api/access/organizations/update-organization",
  summary: "Update an organization",
  description: "Requires the admin or owner role; changing `key_makers` requires the owner role.",
  access: "user",
  params,
  body: v.pipe(
    v.object({ name: v.nullish(organizationName), key_makers: v.nullish(keyMakers) }),
    v.title("OrganizationUpdate"),
    v.description("Changes to an organization; null and absent fields keep their values."),
    v.examples([{ name: "Example Ltd" }]),
  ),
  success: 200,
  reply: organization,
  grants: { access: { GetItem: ["organization"], PutItem: ["audit"], UpdateItem: ["organization"] } },
});
