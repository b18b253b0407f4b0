import { listSessionRunTargets } from "../../../lib/contract/runs/session-runs.ts";
import { listRunTargets } from "../../../lib/handlers/runs/list-run-targets.ts";

export const handler = listRunTargets(listSessionRunTargets);
