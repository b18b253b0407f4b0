import * as v from "valibot";
import { keyAccesses } from "../../domain/access/key-scope.ts";
import { replyInstant, page, paging, pagingIfAsked, uuid } from "../fields.ts";
import { metadataKeys, organizationParams, projectDescription, projectName } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, project_id: uuid });

const project = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    name: v.string(),
    description: v.string(),
    metadata_keys: v.array(v.string()),
    created_at: replyInstant,
  }),
  v.title("Project"),
  v.examples([
    {
      id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      name: "checkout",
      description: "The agent behind the till",
      metadata_keys: ["customer_tier"],
      created_at: "2026-11-21T09:00:00.000000+00:00",
    },
  ]),
);

const conflict = "Another project of the organization has that name.";

export const createProject = route({
  id: "createProject",
  method: "POST",
  repeats: "made",
  path: "/organizations/{org_id}/projects",
  handler: "api/access/organizations/create-project",
  summary: "Make a project",
  description: "For admins and owners. An API key makes the project that it names first.",
  access: "user",
  params: organizationParams,
  body: v.pipe(
    v.object({
      name: projectName,
      description: v.optional(projectDescription, ""),
      metadata_keys: v.optional(metadataKeys, []),
    }),
    v.title("ProjectInput"),
    v.examples([{ name: "checkout", description: "The agent behind the till", metadata_keys: ["customer_tier"] }]),
  ),
  success: 201,
  reply: project,
  conflict,
  grants: { access: ["GetItem", "PutItem", "UpdateItem"] },
});

export const deleteProject = route({
  id: "deleteProject",
  method: "DELETE",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/delete-project",
  summary: "Delete a project and everything in it",
  description:
    "For owners. Nothing is stored in it from then on, it is hidden everywhere within 5 seconds, its name is free at once, and what it holds is removed in the " +
    "background; `GET /organizations/{org_id}/deletions` has the receipt.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The project was changed at the same time.",
  grants: { access: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
});

export const listProjects = route({
  id: "listProjects",
  method: "GET",
  path: "/organizations/{org_id}/projects",
  handler: "api/access/organizations/list-projects",
  summary: "List an organization's projects, newest first",
  access: "user",
  params: organizationParams,
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(project), page(project)]),
  grants: { access: ["GetItem", "BatchGetItem", "Query"] },
});

export const listReachableProjects = route({
  id: "listReachableProjects",
  method: "GET",
  path: "/projects",
  handler: "api/access/organizations/list-reachable-projects",
  summary: "List the projects that the caller reaches, newest first",
  description:
    "An API key reaches its organization's projects, or the one that it is for; no header names a project here. With a bearer token: those of " +
    "the organization that `X-Organization-ID` names, else of the oldest membership.",
  access: "organization",
  permission: "read",
  query: v.object(paging),
  success: 200,
  reply: v.pipe(
    v.object({
      ...page(project).entries,
      key_access: v.pipe(
        v.nullable(v.picklist(keyAccesses)),
        v.description("What the API key that asks may do: everything, or read; null: a bearer token asks."),
      ),
    }),
    v.title("ReachableProjectPage"),
  ),
  grants: { access: ["GetItem", "BatchGetItem", "Query"] },
});

export const getProject = route({
  id: "getProject",
  method: "GET",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/get-project",
  summary: "Read a project",
  access: "user",
  params,
  success: 200,
  reply: project,
  grants: { access: ["GetItem"] },
});

export const updateProject = route({
  id: "updateProject",
  method: "PATCH",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/update-project",
  summary: "Change a project's name, description or declared metadata keys",
  description:
    "For admins and owners. Who goes on to write under the old name with an API key makes a new project of that name; " +
    "who reads under it may see this one for 5 seconds more.",
  access: "user",
  params,
  body: v.pipe(
    v.object({
      name: v.nullish(projectName),
      description: v.nullish(projectDescription),
      metadata_keys: v.nullish(metadataKeys),
    }),
    v.title("ProjectUpdate"),
    v.description("Null or absent leaves a field as it is."),
    v.examples([{ name: "till", metadata_keys: ["customer_tier"] }]),
  ),
  success: 200,
  reply: project,
  conflict,
  grants: { access: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
});
