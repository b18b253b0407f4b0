import { getAlert, listAlertHistory, listAlerts, type AlertReply } from "../../../lib/contract/monitors/alerts.ts";
import { offsetPage } from "../../../lib/domain/page.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { alertNotes } from "../../../lib/http/monitors/alert-notes.ts";
import { alertChangeReply, alertNotFound, alertReply, stoppedAlertReply } from "../../../lib/http/monitors/alerts.ts";
import { pagedReply, sortedReply } from "../../../lib/http/paging.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [rules, states, monitors] = [alertRules(database), alertStateStore(database), monitorStore(database)];
const [guard, notesOf] = [environmentGuard(database), alertNotes(database)];

/** Max monitors whose built-in alerts are listed: operators can allow more monitors than the default. */
const maxListedMonitors = 1_000;

/** Returns a rule, or the built-in alert of a monitor. @throws Refusal `not_found` if the project has neither. */
const findAlert = async (project: string, id: string): Promise<AlertReply> => {
  const rule = await rules.get(project, id);
  if (rule !== null) return alertReply(rule, await states.get(project, id), await notesOf(project, rule.settings));
  const monitor = await monitors.get(project, id);
  if (monitor === null) throw alertNotFound(id);
  return stoppedAlertReply(monitor.monitor, await states.get(project, id));
};

/** Position of an alert in the list: rules by name, then the built-in alerts of monitors. */
const positionOf = ({ id, name, monitor_id }: AlertReply) => ({ key: `${monitor_id === null ? 0 : 1}${name}`, id });

/** Answers the routes that read alert rules. */
export const handler = sharedEndpoint(
  endpoint(listAlerts, guard, async ({ project: { id }, query, paging }) => {
    const [storedRules, { items: storedMonitors }, storedStates] = await Promise.all([
      rules.list(id),
      monitors.page(id, null, offsetPage(maxListedMonitors, 0)),
      states.all(id),
    ]);
    const alerts = [
      ...storedRules.map((rule) => alertReply(rule, storedStates.get(rule.id) ?? null, [])),
      ...storedMonitors.map((monitor) => stoppedAlertReply(monitor, storedStates.get(monitor.id) ?? null)),
    ];
    const matching = query.state === undefined ? alerts : alerts.filter(({ state }) => state === query.state);
    return sortedReply(paging, matching, positionOf, "asc");
  }),
  endpoint(getAlert, guard, async ({ params, project }) => findAlert(project.id, params.alert_id)),
  endpoint(listAlertHistory, guard, async ({ params, project, paging }) => {
    const { id } = await findAlert(project.id, params.alert_id);
    const changes = await states.history(project.id, id);
    const page = pagedReply(paging, changes, ({ end, transition }) => ({ key: instantAt(end), id: transition }));
    return { ...page, items: page.items.map(alertChangeReply) };
  }),
);
