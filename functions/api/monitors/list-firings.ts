import { listFirings } from "../../../lib/contract/monitors/firings.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { firingReply, monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const [monitors, firings] = [monitorStore(database), firingStore(database)];

export const handler = endpoint(listFirings, environmentGuard(database), async ({ params, project, paging }) => {
  const { monitor_id: id } = params;
  if ((await monitors.get(project.id, id)) === null) throw monitorNotFound(id);
  const page = await firings.page(project.id, id, paging);
  return paging.page(page.items.map(firingReply), page.total, page.last);
});
