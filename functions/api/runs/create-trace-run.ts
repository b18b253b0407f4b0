import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createRun } from "../../../lib/handlers/runs/create-run.ts";
import { traceRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";

export const handler = createRun(createTraceRun, traceRunTargets);
