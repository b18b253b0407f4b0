import { listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorReply } from "../../../lib/http/monitors/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);

export const handler = endpoint(listMonitors, environmentGuard(database), async ({ project, query, paging }) => {
  const page = await monitors.page(project.id, query.status ?? null, paging);
  return paging.page(page.items.map(monitorReply), page.total, page.last);
});
