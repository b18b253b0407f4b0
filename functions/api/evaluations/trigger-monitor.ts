import { triggerMonitor } from "../../../lib/contract/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorNotFound } from "../../../lib/http/monitor-reply.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { environmentFiring } from "../../../lib/monitoring/environment-firing.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const firing = environmentFiring(database);

export const handler = endpoint(triggerMonitor, environmentGate(database), async ({ mint, params, project }) => {
  const { monitor_id: id } = params;
  const run = await firing.trigger(project.id, id, mint(`run of ${id}`));
  if (run === null) throw monitorNotFound(id);
  return runReply(run);
});
