import * as v from "valibot";
import { deletion } from "./deletions.ts";
import { route } from "../route.ts";
import { paging, singleValue, text } from "../schema/fields.ts";

const userId = singleValue(text(255, 1));

/** Description of a line of an export. */
const line = v.pipe(
  v.string(),
  v.title("UserExportLine"),
  v.description(
    "One JSON object a line, with its `type`: `trace` (without spans), `span`, `score`, `label`, `item` or `part`.",
  ),
);

export const exportUser = route({
  id: "exportUser",
  method: "GET",
  path: "/traces/users/-/export",
  handler: "api/traces/serve-user",
  summary: "Export a user's data",
  description:
    "Returns as NDJSON the traces of a user, each followed by its spans and scores (the first of a session also by those of the session), then the labels " +
    "about them and the items of datasets made of them. A page has at most 5 MB, or ends after some seconds, possibly empty; `Link` leads on and is absent on the last. " +
    "A line that does not fit a page is sent as lines of `type` `part`, with `part`, `parts` and `text`: the texts of all parts, joined, are the line. " +
    "What changes during an export may be in it twice or not at all.",
  access: "project",
  permission: "read",
  query: v.object({ user_id: userId, cursor: paging.cursor }),
  media: "application/x-ndjson",
  success: 200,
  reply: line,
  // Those of the erasure too, which its function answers: an account has room for 1,000 roles.
  grants: {
    access: {
      GetItem: ["deletion", "organization"],
      PutItem: ["audit", "deletion", "openDeletions", "organization"],
      ConditionCheckItem: ["key", "organization", "project"],
    },
    rows: ["GetItem", "BatchGetItem", "Query"],
    bodies: ["GetItem", "BatchGetItem", "Query"],
    scores: ["Query"],
    aggregates: ["Query", "BatchGetItem"],
    monitors: ["GetItem", "BatchGetItem", "Query"],
  },
  memory: 1769,
});

export const eraseUser = route({
  id: "eraseUser",
  answeredBy: exportUser.id,
  method: "DELETE",
  path: "/traces/users/-",
  handler: exportUser.handler,
  summary: "Erase a user",
  description:
    "Erases, in the background, all traces of a user with spans and scores, the scores of their sessions (also of those shared with others, " +
    "whose traces stay), labels about them, items of datasets made of them, and the user in filters of runs, monitors and alert rules. It covers " +
    "everything stored up to its end; a later trace of the user is a new one. A trace that arrives more than 16 minutes after the request is erased as it is met, " +
    "but neither counted nor waited for. The receipt is PROVED once two checks 16 minutes apart found nothing; it is also at " +
    "`GET /organizations/{org_id}/deletions`. Receipt and audit event name the user by a hash keyed by the project. While an erasure runs, " +
    "another request returns its receipt. For 24 hours telemetry of the erased traces is rejected (`trace_deleted`).",
  access: "project",
  permission: "write",
  query: v.object({ user_id: userId }),
  success: 202,
  reply: deletion,
  grants: exportUser.grants,
});
