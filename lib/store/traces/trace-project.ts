import { uuidInProject } from "../../domain/access/identity.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { pointerKey } from "./keys.ts";

/**
 * Finds, for each of several traces, the first of several projects that has it, or else that had it until its deletion. A key is read for each pair of a trace and a project.
 *
 * @param traces ids of any text.
 * @returns projects by trace, without the traces that none has.
 */
export const projectsOfTraces = async (
  database: Database,
  projects: readonly string[],
  traces: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const pairs = traces.flatMap((trace) =>
    projects.map((project) => ({ trace, project, key: pointerKey(project, uuidInProject(project, trace)) })),
  );
  // Two texts can name one trace: its UUID, and the text from which that is derived.
  const keys = new Map(pairs.map(({ key }) => [key.pk, key]));
  const items = await batchGet(database, "bodies", [...keys.values()], { attributes: "pk, x" });
  const pairsIn = (pointers: typeof items) => {
    const holders = new Set(pointers.map(({ pk }) => String(pk)));
    return pairs.filter(({ key }) => holders.has(key.pk));
  };
  const pairsWithTrace = [...pairsIn(items.filter((item) => !("x" in item))), ...pairsIn(items)];
  return new Map(pairsWithTrace.toReversed().map(({ trace, project }) => [trace, project]));
};
