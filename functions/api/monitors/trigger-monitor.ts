import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { environmentFiring } from "../../../lib/wiring/firing.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const firing = environmentFiring(database);

export const handler = endpoint(
  triggerMonitor,
  environmentGate(database),
  async ({ mint, params, project, repeat }) => {
    const { monitor_id: id } = params;
    const run = await firing.trigger(project.id, id, mint(`run of ${id}`), repeat);
    if (run === null) throw monitorNotFound(id);
    return runReply(run);
  },
);
