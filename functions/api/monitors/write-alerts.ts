import { createAlert, deleteAlert, testAlert, updateAlert } from "../../../lib/contract/monitors/alerts.ts";
import { anchorOf, withAlertSettings, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { Refusal } from "../../../lib/domain/refusal.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { alertNotes } from "../../../lib/http/monitors/alert-notes.ts";
import {
  alertNotFound,
  alertReply,
  alertSettings,
  builtInAlert,
  updatedSettings,
} from "../../../lib/http/monitors/alerts.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { alertEvent, alertTestEvent } from "../../../lib/monitors/alert-event.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore, type Transition } from "../../../lib/store/alerts/states.ts";
import { putEvent } from "../../../lib/store/events/outbox.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [rules, states, monitors] = [alertRules(database), alertStateStore(database), monitorStore(database)];
const [guard, notesOf] = [environmentGuard(database), alertNotes(database)];

/** Returns the refusal to change or delete an alert that is not a rule. */
const noRule = async (project: string, id: string): Promise<Refusal> =>
  (await monitors.get(project, id)) === null ? alertNotFound(id) : builtInAlert();

const clearingEvent = (rule: AlertRule, change: Transition) => alertEvent(rule, change, Date.now());

/** Answers the routes that write alert rules. */
export const handler = sharedEndpoint(
  endpoint(createAlert, guard, async ({ body, idFor, project, idempotency, warn }) => {
    const now = Date.now();
    const rule: AlertRule = {
      id: idFor("alert"),
      projectId: project.id,
      settings: alertSettings(body, project.metadata_keys),
      generation: 0,
      anchor: anchorOf(now),
      createdAt: instantAt(now),
      updatedAt: instantAt(now),
    };
    const notes = await notesOf(project.id, rule.settings, warn);
    return alertReply(await rules.create(rule, idempotency), null, notes);
  }),
  endpoint(updateAlert, guard, async ({ body, params, project, warn }) => {
    const rule = await rules.change(
      project.id,
      params.alert_id,
      (before) => withAlertSettings(before, updatedSettings(before.settings, body, project.metadata_keys), Date.now()),
      clearingEvent,
    );
    if (rule === null) throw await noRule(project.id, params.alert_id);
    const notes = await notesOf(project.id, rule.settings, warn);
    return alertReply(rule, await states.get(project.id, rule.id), notes);
  }),
  endpoint(deleteAlert, guard, async ({ params, project }) => {
    if (!(await rules.delete(project.id, params.alert_id, clearingEvent)))
      throw await noRule(project.id, params.alert_id);
  }),
  endpoint(testAlert, guard, async ({ params: { alert_id: id }, project, idFor }) => {
    const rule = await rules.get(project.id, id);
    if (rule === null) throw await noRule(project.id, id);
    const event = alertTestEvent(rule, idFor("test"), Date.now());
    await putEvent(database, event);
    return { event_id: event.id };
  }),
);
