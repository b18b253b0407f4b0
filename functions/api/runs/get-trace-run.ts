import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getRun } from "../../../lib/handlers/runs/get-run.ts";

export const handler = getRun(getTraceRun);
