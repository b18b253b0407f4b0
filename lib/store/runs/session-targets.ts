import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { runPartition, slicePrefix } from "./keys.ts";

const sessionSlice = v.object({ pk: v.string(), sk: v.string(), targets: v.array(v.string()) });

/**
 * Replaces ids of sessions among the targets of a run by other texts, whose pairs are settled as missing if they are not yet.
 *
 * @param namesOf returns those of some ids that are replaced, with their new texts.
 * @returns the number of changed slices; 0 for a run of traces.
 */
export const renameSessionTargets = async (
  database: Database,
  project: string,
  run: string,
  namesOf: (sessions: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<number> => {
  const items = itemsOf(database, "runs");
  const slices = { pk: runPartition(project, run), prefix: slicePrefix, attributes: "pk, sk, targets" };
  let changed = 0;
  for await (const item of items.query(slices)) {
    const { success, output } = v.safeParse(sessionSlice, item);
    if (!success) return changed;
    const { pk, sk, targets } = output;
    const names = await namesOf(targets);
    if (names.size === 0) continue;
    const values = { ":before": targets, ":after": targets.map((target) => names.get(target) ?? target) };
    await ifConditionHolds(items.update({ pk, sk }, "SET targets = :after", { when: "targets = :before", values }));
    changed += 1;
  }
  return changed;
};
