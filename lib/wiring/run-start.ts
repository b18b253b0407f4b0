import { environmentTier, required, requiredNumber, variables } from "./environment.ts";
import type { Database } from "../dynamo/database.ts";
import { runCreation } from "../store/runs/creation.ts";
import { runStart, type RunStart } from "../evaluation/start/start-run.ts";

/** Creates the start of runs, configured from the environment. */
export const environmentRunStart = (database: Database): RunStart =>
  runStart({
    createRun: runCreation(database),
    defaultModel: required(variables.judgeModel),
    defaultTier: environmentTier(),
    maxTargets: requiredNumber(variables.maxTargetsPerRun),
    now: Date.now,
  });
