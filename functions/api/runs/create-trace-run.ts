import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { checkMetrics } from "../../../lib/domain/runs/checks.ts";
import { environmentEstimate } from "../../../lib/wiring/estimate.ts";
import { environmentRunStart } from "../../../lib/wiring/run-start.ts";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import { DryRun } from "../../../lib/http/runs/dry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { runRequest } from "../../../lib/http/runs/request.ts";
import { traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceList } from "../../../lib/store/traces/list.ts";

const database = connect();
const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
const matching = matchingTargets(traceList(database));

export const handler = endpoint(createTraceRun, environmentGate(database), async ({ body, mint, project, query }) => {
  checkMetrics(body.metrics, traceMetricNames, "TRACE");
  const found = await matching(project.id, { targetType: "TRACE", filters: body.filters });
  if (query.dry_run) {
    const ids = start.chosen(found, body.sampling_rate).map(({ id }) => id);
    return new DryRun(await estimate(project.id, "TRACE", body, ids));
  }
  const request = {
    ...runRequest(mint("run"), project.id, "TRACE", body),
    filters: body.filters,
    samplingRate: body.sampling_rate,
    monitorId: null,
  };
  return runReply(await start.filtered(request, found));
});
