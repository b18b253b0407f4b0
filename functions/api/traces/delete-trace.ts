import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";

const database = connect();
const traces = traceRemoval(database);

export const handler = endpoint(deleteTrace, environmentGate(database), async ({ params, project }) => {
  if (!(await traces.remove(project.id, params.trace_id))) throw notFound(`Trace ${params.trace_id} not found.`);
});
