import { retryTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { retryRun } from "../../../lib/handlers/runs/retry-run.ts";

export const handler = retryRun(retryTraceRun);
