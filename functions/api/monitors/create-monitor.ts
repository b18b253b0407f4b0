import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { epochOf } from "../../../lib/domain/instant.ts";
import { newMonitor } from "../../../lib/domain/monitors/monitor.ts";
import { monitorMetrics } from "../../../lib/evaluation/start/resolve-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { environmentModelCheck } from "../../../lib/wiring/judge-models.ts";
import { environmentPriceCheck } from "../../../lib/wiring/judge-price-check.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { monitorReply } from "../../../lib/http/monitors/reply.ts";
import { monitorSettingsOf } from "../../../lib/http/monitors/settings.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const metricChoiceOf = monitorMetrics(customMetricStore(database));
const schedules = environmentSchedules();
const [checkModel, checkPrices] = [environmentModelCheck(), environmentPriceCheck(database)];
const checkScoreNames = {
  TRACE: scoreNameCheck(database, "trace"),
  SESSION: scoreNameCheck(database, "session"),
};
const maxMonitors = requiredNumber(variables.maxMonitors);

export const handler = endpoint(
  createMonitor,
  environmentGuard(database),
  async ({ body, idFor, project, idempotency, warn }) => {
    checkModel(body);
    const { target_type: targetType, ...values } = body;
    const metricChoice = await metricChoiceOf(project.id, body.metrics);
    const settings = { ...values, ...monitorSettingsOf(targetType, values, project.metadata_keys, metricChoice) };
    await checkPrices(project.id, metricChoice.resolved(settings.metrics, targetType), settings);
    await checkScoreNames[targetType](project.id, settings.filters, warn);
    const ids = { id: idFor("monitor"), projectId: project.id, targetType };
    const storedMonitor = await monitors.create(newMonitor(ids, settings, Date.now()), maxMonitors, idempotency);
    await synchroniseSoon(storedMonitor, monitors, schedules);
    // A repeated request gets the monitor as created, without later changes.
    return monitorReply(newMonitor(ids, settings, epochOf(storedMonitor.monitor.createdAt)));
  },
);
