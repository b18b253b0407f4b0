import { createTraceBatchRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createBatchRun } from "../../../lib/handlers/runs/create-batch-run.ts";
import { traceRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";

export const handler = createBatchRun(createTraceBatchRun, traceRunTargets);
