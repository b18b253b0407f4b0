import { createExperimentRun } from "../../../lib/contract/experiments/experiment-runs.ts";
import { createTraceBatchRun } from "../../../lib/contract/runs/trace-runs.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { experimentTraceIds } from "../../../lib/handlers/experiments/trace-ids.ts";
import { createBatchRun } from "../../../lib/handlers/runs/create-batch-run.ts";
import { traceRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";

const traceIds = experimentTraceIds(connect());

/** Answers the routes that create runs of listed traces, and of those of an experiment. */
export const handler = sharedEndpoint(
  createBatchRun(createTraceBatchRun, traceRunTargets),
  createBatchRun(
    createExperimentRun,
    { ...traceRunTargets, sequentialWhenListed: false },
    async ({ params, project }) => ["experiment_id", await traceIds(project.id, params?.experiment_id ?? "")],
  ),
);
