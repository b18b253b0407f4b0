import { createSessionRun } from "../../../lib/contract/session-runs.ts";
import { checkMetrics } from "../../../lib/domain/run-checks.ts";
import { environmentEstimate } from "../../../lib/evaluation/environment-estimate.ts";
import { environmentRunStart } from "../../../lib/evaluation/environment-run-start.ts";
import { matchingTargets } from "../../../lib/evaluation/matching-targets.ts";
import { DryRun } from "../../../lib/http/dry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { runRequest } from "../../../lib/http/run-request.ts";
import { sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceList } from "../../../lib/store/trace-list.ts";

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
