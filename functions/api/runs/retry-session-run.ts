import { retrySessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { retryRun } from "../../../lib/handlers/runs/retry-run.ts";

export const handler = retryRun(retrySessionRun);
