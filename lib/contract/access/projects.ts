import * as v from "valibot";
import { projectFields } from "../../domain/access/fields.ts";
import { keyAccesses } from "../../domain/access/key-scope.ts";
import { replyInstant, page, paging, optionalPaging, uuid } from "../schema/fields.ts";
import { requestExamples, resourceSchemas } from "../schema/resource.ts";
import { maskingRules } from "./masking-rules.ts";
import { metadataKeys, organizationParams, projectDescription, projectName } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, project_id: uuid });

const settings = resourceSchemas(projectFields, {
  name: projectName,
  description: projectDescription,
  metadata_keys: metadataKeys,
  trace_silence:
    'Seconds without a new span after which a trace whose top span never arrives has ended (`ended_by: "silence"`).',
  masking: maskingRules,
});

const project = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    ...settings.reply,
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
      trace_silence: 600,
      masking: { keys: ["password"], paths: [], presets: ["email"] },
      created_at: "2026-11-21T09:00:00.000000+00:00",
    },
  ]),
);

const conflict = "Another project of the organization has that name.";

export const createProject = route({
  id: "createProject",
  method: "POST",
  idempotency: "derived-id",
  path: "/organizations/{org_id}/projects",
  handler: "api/access/organizations/create-project",
  summary: "Create a project",
  description:
    "Requires the admin or owner role. Projects are also created by the first request with an API key that names them.",
  access: "user",
  params: organizationParams,
  body: v.pipe(
    v.object(settings.input),
    v.title("ProjectInput"),
    requestExamples([{ name: "checkout", description: "The agent behind the till", metadata_keys: ["customer_tier"] }]),
  ),
  success: 201,
  reply: project,
  conflict,
  grants: {
    access: { GetItem: ["project"], PutItem: ["audit", "organization", "project"], UpdateItem: ["organization"] },
  },
});

export const deleteProject = route({
  id: "deleteProject",
  method: "DELETE",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/delete-project",
  summary: "Delete a project",
  description:
    "Deletes the project with all its data. Requires the owner role. The project accepts no data from now on, is hidden within 5 " +
    "seconds, and its name can be reused at once. Its data is removed in the background; " +
    "`GET /organizations/{org_id}/deletions` has the receipt.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The project was changed at the same time.",
  grants: {
    access: {
      GetItem: ["project"],
      PutItem: ["audit", "deletion", "openDeletions", "organization"],
      UpdateItem: ["organization", "project"],
      DeleteItem: ["organization"],
    },
  },
});

export const listProjects = route({
  id: "listProjects",
  method: "GET",
  path: "/organizations/{org_id}/projects",
  handler: "api/access/organizations/list-projects",
  summary: "List projects",
  description: "Returns the projects of an organization, newest first.",
  access: "user",
  params: organizationParams,
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(project), page(project)]),
  grants: { access: { BatchGetItem: ["project"], Query: ["organization"] } },
});

export const listReachableProjects = route({
  id: "listReachableProjects",
  method: "GET",
  path: "/projects",
  handler: "api/access/organizations/list-reachable-projects",
  summary: "List accessible projects",
  description:
    "Returns projects, newest first: with an API key the projects of its organization or its only project, with a bearer token " +
    "those of the organization in `X-Organization-ID`, or else of the oldest membership. No project header is needed.",
  access: "organization",
  permission: "read",
  query: v.object(paging),
  success: 200,
  reply: v.pipe(
    v.object({
      ...page(project).entries,
      key_access: v.pipe(
        v.nullable(v.picklist(keyAccesses)),
        v.description("Access level of the API key of the request; null with a bearer token."),
      ),
    }),
    v.title("ReachableProjectPage"),
  ),
  grants: { access: { GetItem: ["project"], BatchGetItem: ["project"], Query: ["organization"] } },
});

export const getProject = route({
  id: "getProject",
  method: "GET",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/get-project",
  summary: "Get a project",
  access: "user",
  params,
  success: 200,
  reply: project,
  // Those of repricings too, whose role it shares: an account has room for 1,000 roles.
  grants: { access: { GetItem: ["project"] }, aggregates: ["Query"] },
});

export const updateProject = route({
  id: "updateProject",
  method: "PATCH",
  path: "/organizations/{org_id}/projects/{project_id}",
  handler: "api/access/organizations/update-project",
  summary: "Update a project",
  description:
    "Requires the admin or owner role. After a rename, writes to the old name with an API key create a new project, and reads of the " +
    "old name may return this project for 5 more seconds.",
  access: "user",
  params,
  body: v.pipe(
    v.object(settings.update),
    v.title("ProjectUpdate"),
    v.description("Changes to a project; null and absent fields keep their values."),
    v.examples([{ name: "till", metadata_keys: ["customer_tier"] }]),
  ),
  success: 200,
  reply: project,
  conflict,
  grants: {
    access: {
      GetItem: ["project"],
      PutItem: ["audit", "organization"],
      UpdateItem: ["organization", "project"],
      DeleteItem: ["organization"],
    },
  },
});
