import * as v from "valibot";
import { listOf, uuid } from "../fields.ts";
import { route, type Route } from "../route.ts";

/** How many traces one request names. */
export const traceIds = listOf(uuid, 500, 1);

/** Finding a row and putting a fence in its place. */
export const deletionGrants = {
  bodies: ["GetItem"],
  rows: ["GetItem", "PutItem"],
} as const satisfies Route["grants"];

/** The reply to a deletion of several things. */
export const deletedCount = v.pipe(
  v.object({ deleted: v.pipe(v.number(), v.integer()) }),
  v.title("Deleted"),
  v.description("How many traces this request deleted."),
  v.examples([{ deleted: 2 }]),
);

export const deleteTrace = route({
  id: "deleteTrace",
  method: "DELETE",
  path: "/traces/{trace_id}",
  handler: "api/traces/delete-trace",
  summary: "Delete a trace with its spans and scores",
  notesDeletions: true,
  access: "project",
  permission: "write",
  params: v.object({ trace_id: uuid }),
  success: 204,
  reply: v.void(),
  grants: deletionGrants,
});

export const deleteTraces = route({
  id: "deleteTraces",
  method: "POST",
  repeats: "recorded",
  path: "/traces/batch/delete",
  handler: "api/traces/delete-traces",
  summary: "Delete traces with their spans and scores",
  description: "Ids that do not exist are ignored. `deleted` counts the traces that were there, each once.",
  notesDeletions: true,
  access: "project",
  permission: "write",
  body: v.object({ trace_ids: traceIds }),
  success: 200,
  reply: deletedCount,
  grants: deletionGrants,
  memory: 1024,
});
