import { triggerMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { resolveMetrics } from "../../../lib/evaluation/start/resolve-metrics.ts";
import { DryRun } from "../../../lib/http/answers.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound } from "../../../lib/http/monitors/reply.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { environmentEstimate } from "../../../lib/wiring/estimate.ts";
import { environmentFiring } from "../../../lib/wiring/firing.ts";
import { environmentRunStart } from "../../../lib/wiring/run-start.ts";
import { connect } from "../../../lib/dynamo/database.ts";

const database = connect();
const firing = environmentFiring(database);
const choose = resolveMetrics(customMetricStore(database));
const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];

export const handler = endpoint(
  triggerMonitor,
  environmentGuard(database),
  async ({ idFor, params: { monitor_id: id }, project: { id: project }, query, idempotency }) => {
    if (query.dry_run) {
      const preview = await firing.preview(project, id);
      if (preview === null) throw monitorNotFound(id);
      const { targetType, settings } = preview.monitor;
      const ids = start.sample(preview.targets, settings.sampling_rate).map((target) => target.id);
      const metrics = await choose(project, targetType, settings.metrics);
      return new DryRun(await estimate(project, targetType, { ...settings, metrics }, ids));
    }
    const request = { project, id, runId: idFor(`run of ${id}`), maxCostUsd: query.max_cost_usd };
    const run = await firing.trigger(request, idempotency);
    if (run === null) throw monitorNotFound(id);
    return runReply(run);
  },
);
