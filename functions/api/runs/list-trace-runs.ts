import { listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { listRuns } from "../../../lib/handlers/runs/list-runs.ts";

export const handler = listRuns(listTraceRuns, "TRACE");
