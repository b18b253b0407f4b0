import { listMonitorRuns } from "../../../lib/contract/monitors/firings.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";

const database = connect();
const [monitors, list, runs] = [monitorStore(database), runList(database), runStore(database)];

export const handler = endpoint(listMonitorRuns, environmentGuard(database), async ({ params, project, paging }) => {
  const { monitor_id: id } = params;
  const { limit, offset, after } = paging;
  if ((await monitors.get(project.id, id)) === null) throw monitorNotFound(id);
  const { runs: storedRuns, total, last } = await list.ofMonitor(project.id, id, limit, offset, after);
  const items = await Promise.all(storedRuns.map((run) => runs.withLiveCounts(run)));
  return paging.page(items.map(runReply), total, last);
});
