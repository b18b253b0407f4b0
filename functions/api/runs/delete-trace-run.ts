import { deleteTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { deleteRun } from "../../../lib/handlers/runs/delete-run.ts";

export const handler = deleteRun(deleteTraceRun);
