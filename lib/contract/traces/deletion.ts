import * as v from "valibot";
import { listOf, uuid } from "../schema/fields.ts";
import { route, type Route } from "../route.ts";

/** Schema of the trace ids of a batch request, 1 to 500. */
export const traceIds = listOf(uuid, 500, 1);

/** DynamoDB actions of a trace deletion: find the row and replace it by a tombstone. */
export const deletionGrants = {
  bodies: ["GetItem"],
  rows: ["GetItem", "PutItem"],
} as const satisfies Route["grants"];

/** Description of what happens to telemetry of deleted traces. */
export const lateText =
  "For 24 hours spans, telemetry and changes that arrive for a deleted trace are rejected (`trace_deleted`); `POST /traces` with its id " +
  "begins a new trace.";

/** Reply of deletions that can remove several traces. */
export const deletedCount = v.pipe(
  v.object({ deleted: v.pipe(v.number(), v.integer()) }),
  v.title("DeletedCount"),
  v.description("Number of traces that this request deleted."),
  v.examples([{ deleted: 2 }]),
);

export const deleteTrace = route({
  id: "deleteTrace",
  method: "DELETE",
  path: "/traces/{trace_id}",
  handler: "api/traces/delete-trace",
  summary: "Delete a trace",
  description: `Deletes the trace with its spans and scores. ${lateText}`,
  auditsDeletions: true,
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid }),
  success: 204,
  reply: v.void(),
  // The counters of `deleteTraces`, whose role it shares: an account has room for 1,000.
  grants: { ...deletionGrants, limits: ["UpdateItem"] },
});

export const deleteTraces = route({
  id: "deleteTraces",
  method: "POST",
  idempotency: "replay",
  path: "/traces/batch/delete",
  handler: "api/traces/delete-traces",
  summary: "Delete a batch of traces",
  description:
    "Deletes the traces with their spans and scores. Unknown ids are ignored; `deleted` counts each existing trace once. " +
    lateText,
  auditsDeletions: true,
  access: "project",
  permission: "write",
  body: v.object({ trace_ids: traceIds }),
  success: 200,
  reply: deletedCount,
  grants: deletionGrants,
  memory: 1024,
});
