import * as v from "valibot";
import { deletionKinds, deletionStatuses } from "../../domain/access/deletion.ts";
import { replyInstant, oneOf, page, paging, uuid } from "../schema/fields.ts";
import { organizationParams } from "./fields.ts";
import { route } from "../route.ts";

export const deletion = v.pipe(
  v.object({
    id: uuid,
    kind: oneOf(deletionKinds),
    name: v.string(),
    project_id: v.pipe(v.nullable(uuid), v.description("Project of an erased user; null for other kinds.")),
    org_id: uuid,
    requested_by: uuid,
    requested_at: replyInstant,
    status: oneOf(deletionStatuses),
    removed: v.record(v.string(), v.number()),
    proved_empty_at: v.nullable(replyInstant),
  }),
  v.title("Deletion"),
  v.description(
    "Receipt of a deletion; `id` is the id of the deleted resource, of an erased user of traces (USER) a hash keyed by the project, as `name` is. `removed` counts removed items by type, `strays` being items " +
      "found only by a full scan; items removed just before a worker failed are not counted. PROVED: two checks more than 15 " +
      "minutes apart found no remaining items, and for a project neither did a scan of all tables between them. Not covered are " +
      "ids in receipts, audit events and logs (30 days); items that expire, namely sign-in codes (two minutes), rate limit " +
      "counters (two hours) and replies stored for idempotent requests (one day, encrypted), which DynamoDB removes within days " +
      "after that; and backups (35 days).",
  ),
  v.examples([
    {
      id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      kind: "PROJECT",
      name: "checkout",
      project_id: null,
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      requested_by: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      requested_at: "2026-11-21T09:00:00.000000+00:00",
      status: "PROVED",
      removed: { traces: 20, scores: 8, runs: 3 },
      proved_empty_at: "2026-11-21T09:18:00.000000+00:00",
    },
  ]),
);

export type DeletionReply = v.InferOutput<typeof deletion>;

export const listDeletions = route({
  id: "listDeletions",
  method: "GET",
  path: "/organizations/{org_id}/deletions",
  handler: "api/access/organizations/list-deletions",
  summary: "List project deletions",
  description:
    "Returns receipts of deleted projects of an organization and of erased users of their traces, newest first. Receipts are kept for 400 days, at most as long as the organization.",
  access: "user",
  params: organizationParams,
  query: v.object(paging),
  success: 200,
  reply: page(deletion),
  grants: { access: { BatchGetItem: ["deletion"], Query: ["organization"] } },
});

export const listMyDeletions = route({
  id: "listMyDeletions",
  method: "GET",
  path: "/me/deletions",
  handler: "api/access/me/list-my-deletions",
  summary: "List the caller's organization deletions",
  description: "Returns receipts of organizations that the caller deleted, newest first.",
  access: "user",
  query: v.object(paging),
  success: 200,
  reply: page(deletion),
  grants: { access: { BatchGetItem: ["deletion"], Query: ["user"] } },
});
