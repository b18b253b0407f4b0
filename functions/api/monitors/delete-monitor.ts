import { deleteMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { stoppedEvent } from "../../../lib/monitors/alert-event.ts";
import { removeSchedulesSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const alertStates = alertStateStore(database);
const auditDeletion = environmentDeletionNotes(database);
const schedules = environmentSchedules();

export const handler = endpoint(deleteMonitor, environmentGuard(database), async ({ params, project, principal }) => {
  const stored = await monitors.get(project.id, params.monitor_id);
  if (stored === null) throw monitorNotFound(params.monitor_id);
  // Before the monitor is gone: a deletion that fails halfway can be repeated.
  await alertStates.clear(project.id, params.monitor_id, "The monitor was deleted.", (change) =>
    stoppedEvent(stored.monitor, change, Date.now()),
  );
  if (!(await monitors.delete(project.id, params.monitor_id))) throw monitorNotFound(params.monitor_id);
  await alertStates.remove(project.id, params.monitor_id);
  await auditDeletion({ principal, project }, { action: "monitor.deleted", target: params.monitor_id, deleted: 1 });
  await removeSchedulesSoon(project.id, params.monitor_id, schedules);
});
