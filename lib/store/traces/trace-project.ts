import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { pointerKey, traceOfBody } from "./keys.ts";

/** Finds the first of several projects that has a trace; null if none has it. */
export const projectOfTrace = async (
  database: Database,
  trace: string,
  projects: readonly string[],
): Promise<string | null> => {
  const items = await batchGet(
    database,
    "bodies",
    projects.map((project) => pointerKey(project, trace)),
  );
  const holders = new Set(items.map(({ pk }) => traceOfBody(String(pk)).project));
  return projects.find((project) => holders.has(project)) ?? null;
};
