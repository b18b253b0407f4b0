import { deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { sideBySide } from "../../../lib/async/side-by-side.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);

/** Traces deleted at a time. */
const parallel = 20;

export const handler = endpoint(deleteTraces, environmentGate(database), async ({ body, project }) => {
  const traceIds = [...new Set(body.trace_ids)];
  const removed = await sideBySide(traceIds, parallel, (trace) => traces.remove(project.id, trace));
  return { deleted: removed.filter(Boolean).length };
});
