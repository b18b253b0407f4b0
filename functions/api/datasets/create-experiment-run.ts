import { createExperimentRun } from "../../../lib/contract/experiments/experiment-runs.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { experimentTraceIds } from "../../../lib/handlers/experiments/trace-ids.ts";
import { createBatchRun } from "../../../lib/handlers/runs/create-batch-run.ts";
import { traceRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";

const traceIds = experimentTraceIds(connect());

export const handler = createBatchRun(
  createExperimentRun,
  { ...traceRunTargets, sequentialWhenListed: false },
  async ({ params, project }) => ["experiment_id", await traceIds(project.id, params?.experiment_id ?? "")],
);
