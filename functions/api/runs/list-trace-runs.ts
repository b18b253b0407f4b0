import { listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";

const database = connect();
const list = runList(database);
const runs = runStore(database);

export const handler = endpoint(listTraceRuns, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, status = null } = query;
  const { runs: found, total } = await list.page(project.id, "TRACE", status, limit, offset);
  const items = await Promise.all(found.map((stored) => runs.withLiveCounts(stored)));
  return { items: items.map(runReply), total, limit, offset };
});
