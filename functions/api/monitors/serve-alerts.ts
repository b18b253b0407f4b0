import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  updateAlert,
  type AlertReply,
} from "../../../lib/contract/monitors/alerts.ts";
import { gatewayPath } from "../../../lib/contract/route.ts";
import { anchorOf, withAlertSettings, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { offsetPage } from "../../../lib/domain/page.ts";
import type { Refusal } from "../../../lib/domain/refusal.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import {
  alertChangeReply,
  alertNotFound,
  alertReply,
  alertSettings,
  builtInAlert,
  stoppedAlertReply,
  updatedSettings,
} from "../../../lib/http/monitors/alerts.ts";
import { alertEvent } from "../../../lib/monitors/alert-event.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore, type Transition } from "../../../lib/store/alerts/states.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [rules, states, monitors] = [alertRules(database), alertStateStore(database), monitorStore(database)];
const guard = environmentGuard(database);

/** Max monitors whose built-in alerts are listed: operators can allow more monitors than the default. */
const maxListedMonitors = 1_000;

/** Returns a rule, or the built-in alert of a monitor. @throws Refusal `not_found` if the project has neither. */
const findAlert = async (project: string, id: string): Promise<AlertReply> => {
  const rule = await rules.get(project, id);
  if (rule !== null) return await replyTo(rule);
  const monitor = await monitors.get(project, id);
  if (monitor === null) throw alertNotFound(id);
  return stoppedAlertReply(monitor.monitor, await states.get(project, id));
};

/** Returns the refusal to change or delete an alert that is not a rule. */
const noRule = async (project: string, id: string): Promise<Refusal> =>
  (await monitors.get(project, id)) === null ? alertNotFound(id) : builtInAlert();

const clearingEvent = (rule: AlertRule, change: Transition) => alertEvent(rule, change, Date.now());

const replyTo = async (rule: AlertRule) => alertReply(rule, await states.get(rule.projectId, rule.id));

const endpoints = {
  [`${createAlert.method} ${gatewayPath(createAlert)}`]: endpoint(
    createAlert,
    guard,
    async ({ body, idFor, project, idempotency }) => {
      const now = Date.now();
      const rule: AlertRule = {
        id: idFor("alert"),
        projectId: project.id,
        settings: alertSettings(body, project.metadataKeys),
        generation: 0,
        anchor: anchorOf(now),
        createdAt: instantAt(now),
        updatedAt: instantAt(now),
      };
      return alertReply(await rules.create(rule, idempotency), null);
    },
  ),
  [`${listAlerts.method} ${gatewayPath(listAlerts)}`]: endpoint(listAlerts, guard, async ({ project: { id } }) => {
    const [storedRules, { items: storedMonitors }, storedStates] = await Promise.all([
      rules.list(id),
      monitors.page(id, null, offsetPage(maxListedMonitors, 0)),
      states.all(id),
    ]);
    const byName = storedRules.toSorted((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
    const replies: AlertReply[] = [
      ...byName.map((rule) => alertReply(rule, storedStates.get(rule.id) ?? null)),
      ...storedMonitors.map((monitor) => stoppedAlertReply(monitor, storedStates.get(monitor.id) ?? null)),
    ];
    return replies;
  }),
  [`${getAlert.method} ${gatewayPath(getAlert)}`]: endpoint(getAlert, guard, async ({ params, project }) =>
    findAlert(project.id, params.alert_id),
  ),
  [`${listAlertHistory.method} ${gatewayPath(listAlertHistory)}`]: endpoint(
    listAlertHistory,
    guard,
    async ({ params, project }) => {
      const { id } = await findAlert(project.id, params.alert_id);
      return (await states.history(project.id, id)).map(alertChangeReply);
    },
  ),
  [`${updateAlert.method} ${gatewayPath(updateAlert)}`]: endpoint(
    updateAlert,
    guard,
    async ({ body, params, project }) => {
      const rule = await rules.change(
        project.id,
        params.alert_id,
        (before) => withAlertSettings(before, updatedSettings(before.settings, body, project.metadataKeys), Date.now()),
        clearingEvent,
      );
      if (rule === null) throw await noRule(project.id, params.alert_id);
      return await replyTo(rule);
    },
  ),
  [`${deleteAlert.method} ${gatewayPath(deleteAlert)}`]: endpoint(deleteAlert, guard, async ({ params, project }) => {
    if (!(await rules.delete(project.id, params.alert_id, clearingEvent)))
      throw await noRule(project.id, params.alert_id);
  }),
};

/** Serves all routes of alert rules: they are called rarely, and have the same grants. */
export const handler = async (event: APIGatewayProxyEvent, context: Context) => {
  const method = event.httpMethod === "HEAD" ? "GET" : event.httpMethod;
  const answer = endpoints[`${method} ${event.resource}`];
  if (answer === undefined) throw new Error(`${event.httpMethod} ${event.resource} is not a route of alert rules.`);
  return await answer(event, context);
};
