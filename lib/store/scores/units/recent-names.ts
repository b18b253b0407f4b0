import type { Database } from "../../../dynamo/database.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import type { ScoreTarget } from "../keys.ts";
import { unpackStatistics } from "../statistics-codec.ts";
import { statisticsPartition } from "../statistics-keys.ts";

/** Sort keys that begin with an hour: a later version may have other items in the partition. */
const hours = ["0", ":"] as const;

/** Sums of one name and hour whose names are read, the newest. */
const recentSums = 200;

/** Returns the function that reads the names that a project's scores had in the last hours with scores; may lag writes by seconds. */
export const recentScoreNames =
  (database: Database) =>
  async (target: ScoreTarget, project: string): Promise<readonly string[]> => {
    const pk = statisticsPartition(target, project);
    const query = { pk, between: hours, descending: true, limit: recentSums, strongly: false };
    const { items } = await itemsOf(database, "aggregates").page(query);
    return [...new Set(items.map((item) => unpackStatistics(item).name))];
  };
