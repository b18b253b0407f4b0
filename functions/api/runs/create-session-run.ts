import { createSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { checkMetrics } from "../../../lib/domain/runs/checks.ts";
import { environmentEstimate } from "../../../lib/wiring/estimate.ts";
import { environmentRunStart } from "../../../lib/wiring/run-start.ts";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import { DryRun } from "../../../lib/http/runs/dry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { runRequest } from "../../../lib/http/runs/request.ts";
import { sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceList } from "../../../lib/store/traces/list.ts";

const database = connect();
const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
const matching = matchingTargets(traceList(database));

export const handler = endpoint(createSessionRun, environmentGate(database), async ({ body, mint, project, query }) => {
  checkMetrics(body.metrics, sessionMetricNames, "SESSION");
  const found = await matching(project.id, { targetType: "SESSION", filters: body.filters });
  if (query.dry_run) {
    const ids = start.chosen(found, body.sampling_rate).map(({ id }) => id);
    return new DryRun(await estimate(project.id, "SESSION", body, ids));
  }
  const request = {
    ...runRequest(mint("run"), project.id, "SESSION", body),
    filters: body.filters,
    samplingRate: body.sampling_rate,
    monitorId: null,
  };
  return runReply(await start.filtered(request, found));
});
