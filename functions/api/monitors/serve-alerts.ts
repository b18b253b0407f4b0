import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { mapConcurrently } from "../../../lib/async/concurrency.ts";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  updateAlert,
} from "../../../lib/contract/monitors/alerts.ts";
import { gatewayPath } from "../../../lib/contract/route.ts";
import { anchorOf, withAlertSettings, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import {
  alertChangeReply,
  alertNotFound,
  alertReply,
  alertSettings,
  updatedSettings,
} from "../../../lib/http/monitors/alerts.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [rules, states, guard] = [alertRules(database), alertStateStore(database), environmentGuard(database)];

/** Max states that a list reads at a time. */
const concurrentReads = 20;

/** @throws Refusal `not_found` if the project has no such rule. */
const findRule = async (project: string, id: string): Promise<AlertRule> => {
  const rule = await rules.get(project, id);
  if (rule === null) throw alertNotFound(id);
  return rule;
};

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
  [`${listAlerts.method} ${gatewayPath(listAlerts)}`]: endpoint(listAlerts, guard, async ({ project }) => {
    const stored = await rules.list(project.id);
    const byName = stored.toSorted((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
    return await mapConcurrently(byName, concurrentReads, replyTo);
  }),
  [`${getAlert.method} ${gatewayPath(getAlert)}`]: endpoint(getAlert, guard, async ({ params, project }) =>
    replyTo(await findRule(project.id, params.alert_id)),
  ),
  [`${listAlertHistory.method} ${gatewayPath(listAlertHistory)}`]: endpoint(
    listAlertHistory,
    guard,
    async ({ params, project }) => {
      const { id } = await findRule(project.id, params.alert_id);
      return (await states.history(project.id, id)).map(alertChangeReply);
    },
  ),
  [`${updateAlert.method} ${gatewayPath(updateAlert)}`]: endpoint(
    updateAlert,
    guard,
    async ({ body, params, project }) => {
      const rule = await rules.change(project.id, params.alert_id, (before) =>
        withAlertSettings(before, updatedSettings(before.settings, body, project.metadataKeys), Date.now()),
      );
      if (rule === null) throw alertNotFound(params.alert_id);
      return await replyTo(rule);
    },
  ),
  [`${deleteAlert.method} ${gatewayPath(deleteAlert)}`]: endpoint(deleteAlert, guard, async ({ params, project }) => {
    if (!(await rules.delete(project.id, params.alert_id))) throw alertNotFound(params.alert_id);
  }),
};

/** Serves all routes of alert rules: they are called rarely, and have the same grants. */
export const handler = async (event: APIGatewayProxyEvent, context: Context) => {
  const answer = endpoints[`${event.httpMethod} ${event.resource}`];
  if (answer === undefined) throw new Error(`${event.httpMethod} ${event.resource} is not a route of alert rules.`);
  return await answer(event, context);
};
