import { updateMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { withSettings } from "../../../lib/domain/monitors/monitor.ts";
import { monitorMetrics } from "../../../lib/evaluation/start/resolve-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { checkSingleJudge, environmentModelCheck } from "../../../lib/wiring/judge-models.ts";
import { environmentPriceCheck } from "../../../lib/wiring/judge-price-check.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { monitorSettingsOf } from "../../../lib/http/monitors/settings.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { stoppedEvent } from "../../../lib/monitors/alert-event.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const alertStates = alertStateStore(database);
const metricChoiceOf = monitorMetrics(customMetricStore(database));
const schedules = environmentSchedules();
const [checkModel, checkPrices] = [environmentModelCheck(), environmentPriceCheck(database)];

const checkScoreNames = {
  TRACE: scoreNameCheck(database, "trace"),
  SESSION: scoreNameCheck(database, "session"),
};

/** Fields that decide which judges are asked under which ceiling. */
const judgedFields = ["metrics", "model", "judge", "max_cost_usd"] as const;

export const handler = endpoint(updateMonitor, environmentGuard(database), async ({ body, params, project, warn }) => {
  checkModel(body);
  const chosenMetrics = await metricChoiceOf(project.id, body.metrics);
  const storedMonitor = await monitors.change(project.id, params.monitor_id, async (monitor) => {
    const settings = monitorSettingsOf(monitor.targetType, body, project.metadata_keys, chosenMetrics);
    if (Object.keys(settings).length === 0) return monitor;
    const changed = withSettings(monitor, settings, Date.now());
    checkSingleJudge(changed.settings);
    if (judgedFields.some((name) => body[name] !== undefined)) {
      const { metrics } = changed.settings;
      const { resolved } = body.metrics === undefined ? await metricChoiceOf(project.id, metrics) : chosenMetrics;
      await checkPrices(project.id, resolved(metrics, monitor.targetType), changed.settings);
    }
    return changed;
  });
  if (storedMonitor === null) throw monitorNotFound(params.monitor_id);
  if (body.alert_if_stopped === false)
    await alertStates.clear(project.id, params.monitor_id, "alert_if_stopped was set to false.", (change) =>
      stoppedEvent(storedMonitor.monitor, change, Date.now()),
    );
  const { targetType, settings } = storedMonitor.monitor;
  if (body.filters !== undefined) await checkScoreNames[targetType](project.id, settings.filters, warn);
  await synchroniseSoon(storedMonitor, monitors, schedules);
  return monitorReply(storedMonitor.monitor);
});
