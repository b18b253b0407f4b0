import type { Database } from "../../../lib/dynamo/database.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";

/** Saves new traces one after the other with one store, which writes the days and names of a project once; kept without expiry. */
export const saveTraces = async (
  database: Database,
  project: string,
  traces: readonly IdentifiedTrace[],
): Promise<void> => {
  const store = traceStore(database, 0);
  for (const trace of traces) await store.saveNew(project, trace);
};
