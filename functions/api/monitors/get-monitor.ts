import { getMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);

export const handler = endpoint(getMonitor, environmentGuard(database), async ({ params, project }) => {
  const storedMonitor = await monitors.get(project.id, params.monitor_id);
  if (storedMonitor === null) throw monitorNotFound(params.monitor_id);
  return monitorReply(storedMonitor.monitor);
});
