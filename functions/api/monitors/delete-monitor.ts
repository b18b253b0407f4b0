import { deleteMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { removeSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const note = environmentDeletionNotes(database);
const schedules = environmentSchedules();

export const handler = endpoint(deleteMonitor, environmentGate(database), async ({ params, project, principal }) => {
  if (!(await monitors.delete(project.id, params.monitor_id))) throw monitorNotFound(params.monitor_id);
  await note({ principal, project }, { action: "monitor.deleted", target: params.monitor_id, deleted: 1 });
  await removeSoon(project.id, params.monitor_id, schedules);
});
