import { invalid } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { experimentReader } from "./read.ts";

/** Returns a function that reads the ids of an experiment's traces. @throws Refusal `not-found`; `invalid` if it has none. */
export const experimentTraceIds = (database: Database) => {
  const reader = experimentReader(database);
  return async (project: string, experiment: string): Promise<readonly string[]> => {
    const { traces } = await reader.read(project, experiment);
    if (traces.length === 0) throw invalid(["path", "experiment_id"], "The experiment has no traces");
    return [...new Set(traces.map(({ traceId }) => traceId))];
  };
};
