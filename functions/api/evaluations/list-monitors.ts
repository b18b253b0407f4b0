import { listMonitors } from "../../../lib/contract/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorReply } from "../../../lib/http/monitor-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors.ts";

const database = connect();
const monitors = monitorStore(database);

export const handler = endpoint(listMonitors, environmentGate(database), async ({ project, query }) => {
  const page = await monitors.page(project.id, query.status ?? null, query.limit, query.offset);
  return { ...page, items: page.items.map(monitorReply) };
});
