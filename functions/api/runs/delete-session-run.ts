import { deleteSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { deleteRun } from "../../../lib/handlers/runs/delete-run.ts";

export const handler = deleteRun(deleteSessionRun);
