import { listMonitorRuns } from "../../../lib/contract/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorNotFound } from "../../../lib/http/monitor-reply.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors.ts";
import { runList } from "../../../lib/store/run-list.ts";
import { runStore } from "../../../lib/store/runs.ts";

const database = connect();
const [monitors, list, runs] = [monitorStore(database), runList(database), runStore(database)];

export const handler = endpoint(listMonitorRuns, environmentGate(database), async ({ params, project, query }) => {
  const [{ monitor_id: id }, { limit, offset }] = [params, query];
  if ((await monitors.get(project.id, id)) === null) throw monitorNotFound(id);
  const { runs: found, total } = await list.ofMonitor(project.id, id, limit, offset);
  const items = await Promise.all(found.map((stored) => runs.withLiveCounts(stored)));
  return { items: items.map(runReply), total, limit, offset };
});
