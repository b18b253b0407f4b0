import { listTraceRunTargets } from "../../../lib/contract/runs/trace-runs.ts";
import { listRunTargets } from "../../../lib/handlers/runs/list-run-targets.ts";

export const handler = listRunTargets(listTraceRunTargets);
