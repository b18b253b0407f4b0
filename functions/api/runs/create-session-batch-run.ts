import { createSessionBatchRun } from "../../../lib/contract/runs/session-runs.ts";
import { createBatchRun } from "../../../lib/handlers/runs/create-batch-run.ts";
import { sessionRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";

export const handler = createBatchRun(createSessionBatchRun, sessionRunTargets);
