import { createSessionBatchRun } from "../../../lib/contract/session-runs.ts";
import { checkListedCount, checkMetrics } from "../../../lib/domain/run-checks.ts";
import { wholeTargets } from "../../../lib/domain/run.ts";
import { requiredNumber, variables } from "../../../lib/environment.ts";
import { environmentEstimate } from "../../../lib/evaluation/environment-estimate.ts";
import { environmentRunStart } from "../../../lib/evaluation/environment-run-start.ts";
import { DryRun } from "../../../lib/http/dry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { runRequest } from "../../../lib/http/run-request.ts";
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
