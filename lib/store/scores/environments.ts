import { mapConcurrently } from "../../async/concurrency.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { traceReader } from "../traces/reader.ts";
import { scoreChanges } from "./changes.ts";
import { copyPartition, idOfOrder } from "./keys.ts";
import { traceScoreKind } from "./kind.ts";

/** Scores that are changed at the same time. */
const parallel = 10;

/**
 * Returns a function that gives the scores of a trace its environment, where they came before the span that tells it. For a trace without
 * such scores it reads half a unit. A repetition changes nothing.
 */
export const environmentOfScores = (database: Database) => {
  const [{ pages }, changes, traces] = [
    itemsOf(database, "scores"),
    scoreChanges(database, traceScoreKind),
    traceReader(database),
  ];
  return async (project: string, trace: string): Promise<void> => {
    const copies = { pk: copyPartition("trace", project, trace), filter: "attribute_not_exists(e)", strongly: false };
    for await (const { items } of pages({ ...copies, attributes: "sk" })) {
      const environment = items.length === 0 ? null : ((await traces.locate(project, trace))?.row.environment ?? null);
      if (environment === null) continue;
      await mapConcurrently(items, parallel, ({ sk }) =>
        changes.edit(project, idOfOrder(String(sk)), (score) => ({ ...score, environment })),
      );
    }
  };
};
