import { createSessionBatchRun } from "../../../lib/contract/runs/session-runs.ts";
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
import { sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
const maxTargets = requiredNumber(variables.maxTargetsPerBatch);

export const handler = endpoint(
  createSessionBatchRun,
  environmentGate(database),
  async ({ body, mint, project, query }) => {
    checkMetrics(body.metrics, sessionMetricNames, "SESSION");
    checkListedCount("session_ids", body.session_ids.length, maxTargets);
    if (query.dry_run) return new DryRun(await estimate(project.id, "SESSION", body, body.session_ids));
    const request = { ...runRequest(mint("run"), project.id, "SESSION", body), sequential: false, retryOf: null };
    return runReply(await start.listed(request, wholeTargets(body.session_ids)));
  },
);
