import { listSessionRuns } from "../../../lib/contract/runs/session-runs.ts";
import { listRuns } from "../../../lib/handlers/runs/list-runs.ts";

export const handler = listRuns(listSessionRuns, "SESSION");
