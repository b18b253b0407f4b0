import { getSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { getRun } from "../../../lib/handlers/runs/get-run.ts";

export const handler = getRun(getSessionRun);
