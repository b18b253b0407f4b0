import { listTraces } from "../../../lib/contract/traces.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { traceListItem } from "../../../lib/http/trace-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceList } from "../../../lib/store/trace-list.ts";

const database = connect();
const traces = traceList(database);

export const handler = endpoint(listTraces, environmentGate(database), async ({ project, query }) => {
  const { rows, total } = await traces.page(project.id, query.limit, query.offset);
  return { items: rows.map(traceListItem), total, limit: query.limit, offset: query.offset };
});
