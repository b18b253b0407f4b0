import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);
const note = environmentDeletionNotes(database);

export const handler = endpoint(deleteTrace, environmentGate(database), async ({ params, project, principal }) => {
  const { trace_id: target } = params;
  if (!(await traces.remove(project.id, target))) throw notFound(`Trace ${target} not found.`);
  await note({ principal, project }, { action: "trace.deleted", target, deleted: 1 });
});
