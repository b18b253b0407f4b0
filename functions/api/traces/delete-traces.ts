import { deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { sideBySide } from "../../../lib/async/side-by-side.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);
const note = environmentDeletionNotes(database);

/** Traces deleted at a time. */
const parallel = 20;

export const handler = endpoint(deleteTraces, environmentGate(database), async ({ body, project, principal }) => {
  const traceIds = [...new Set(body.trace_ids)];
  const removed = await sideBySide(traceIds, parallel, (trace) => traces.remove(project.id, trace));
  const ids = traceIds.filter((_, at) => removed[at] === true);
  if (ids.length > 0)
    await note({ principal, project }, { action: "trace.deleted", target: project.id, deleted: ids.length, ids });
  return { deleted: ids.length };
});
