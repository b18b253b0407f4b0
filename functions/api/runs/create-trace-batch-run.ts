import { createTraceBatchRun } from "../../../lib/contract/runs/trace-runs.ts";
import { checkListedCount, checkMetrics } from "../../../lib/domain/runs/checks.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { environmentEstimate } from "../../../lib/wiring/estimate.ts";
import { environmentRunStart } from "../../../lib/wiring/run-start.ts";
import { DryRun } from "../../../lib/http/runs/dry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { runRequest } from "../../../lib/http/runs/request.ts";
import { traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
const maxTargets = requiredNumber(variables.maxTargetsPerBatch);

export const handler = endpoint(
  createTraceBatchRun,
  environmentGate(database),
  async ({ body, mint, project, query }) => {
    checkMetrics(body.metrics, traceMetricNames, "TRACE");
    checkListedCount("trace_ids", body.trace_ids.length, maxTargets);
    if (query.dry_run) return new DryRun(await estimate(project.id, "TRACE", body, body.trace_ids));
    const request = { ...runRequest(mint("run"), project.id, "TRACE", body), sequential: true, retryOf: null };
    return runReply(await start.listed(request, wholeTargets(body.trace_ids)));
  },
);
