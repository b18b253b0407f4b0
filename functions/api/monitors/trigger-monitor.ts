import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { environmentFiring } from "../../../lib/wiring/firing.ts";
import { connect } from "../../../lib/dynamo/database.ts";

const database = connect();
const firing = environmentFiring(database);

export const handler = endpoint(
  triggerMonitor,
  environmentGuard(database),
  async ({ idFor, params, project, idempotency }) => {
    const { monitor_id: id } = params;
    const run = await firing.trigger(project.id, id, idFor(`run of ${id}`), idempotency);
    if (run === null) throw monitorNotFound(id);
    return runReply(run);
  },
);
