import { createSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { createRun } from "../../../lib/handlers/runs/create-run.ts";
import { sessionRunTargets } from "../../../lib/handlers/runs/target-kinds.ts";

export const handler = createRun(createSessionRun, sessionRunTargets);
