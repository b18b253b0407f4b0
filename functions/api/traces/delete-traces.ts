import { deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { mapConcurrently } from "../../../lib/async/concurrency.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);
const auditDeletion = environmentDeletionNotes(database);

/** Maximum number of traces deleted concurrently. */
const parallel = 20;

export const handler = endpoint(deleteTraces, environmentGuard(database), async ({ body, project, principal }) => {
  const traceIds = [...new Set(body.trace_ids)];
  const removed = await mapConcurrently(traceIds, parallel, (trace) => traces.remove(project.id, trace));
  const ids = traceIds.filter((_, at) => removed[at] === true);
  if (ids.length > 0)
    await auditDeletion(
      { principal, project },
      { action: "trace.deleted", target: project.id, deleted: ids.length, ids },
    );
  return { deleted: ids.length };
});
