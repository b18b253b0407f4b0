import * as v from "valibot";
import { actorTypes, auditActions } from "../../domain/access/audit.ts";
import { replyInstant, oneOf, page, paging, uuid } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";
import { organizationParams } from "./fields.ts";
import { route } from "../route.ts";

const auditEvent = v.pipe(
  v.object({
    id: uuid,
    action: oneOf(auditActions),
    actor_type: oneOf(actorTypes),
    actor_id: uuid,
    target_id: v.string(),
    details: v.pipe(
      v.objectWithRest({ date_from: v.optional(replyInstant), date_to: v.optional(replyInstant) }, v.string()),
      describedAs({ type: "object", additionalProperties: { type: "string" } }),
    ),
    created_at: replyInstant,
  }),
  v.title("AuditEvent"),
  v.description(
    "An action in an organization. `target_id` is the id of the resource in the first part of `action`: the user id for a member, and " +
      "the project id for a batch deletion of traces. `details` of a deletion have `project_id`, `deleted` (the number of deleted " +
      "traces, runs or monitors) and, for batches, `ids`.",
  ),
  v.examples([
    {
      id: "0f9d8c7b-6a5e-4d3c-9b1a-0e1f2d3c4b5a",
      action: "member.role_changed",
      actor_type: "USER",
      actor_id: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      target_id: "2b6e1f90-3a4d-8c57-b8e1-9d0c7a6b5e43",
      details: { before: "MEMBER", role: "ADMIN" },
      created_at: "2026-11-21T09:00:00.000000+00:00",
    },
  ]),
);

export const listAuditEvents = route({
  id: "listAuditEvents",
  method: "GET",
  path: "/organizations/{org_id}/audit-events",
  handler: "api/access/organizations/list-audit-events",
  summary: "List audit events",
  description:
    "Returns changes to an organization, its members, invitations, projects and API keys, and deletions of its data, newest first. " +
    "Requires the admin or owner role. Events are kept for 400 days.",
  access: "user",
  params: organizationParams,
  query: v.object(paging),
  success: 200,
  reply: page(auditEvent),
  grants: { access: { Query: ["audit"] } },
});
