import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);
const auditDeletion = environmentDeletionNotes(database);

export const handler = endpoint(deleteTrace, environmentGuard(database), async ({ params, project, principal }) => {
  const { trace_id: target } = params;
  if (!(await traces.remove(project.id, target))) throw notFound(`Trace ${target} not found.`);
  await auditDeletion({ principal, project }, { action: "trace.deleted", target, deleted: 1 });
});
