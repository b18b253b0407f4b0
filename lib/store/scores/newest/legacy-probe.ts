import type { Database } from "../../../dynamo/database.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import type { ScoreTarget } from "../keys.ts";
import { scoreSources } from "../query.ts";

/**
 * Returns a function that is true for a project with scores listed by a previous version of the service: their
 * newest-score items can be missing.
 */
export const legacyProbe =
  (database: Database, target: ScoreTarget, now: () => number) =>
  async (project: string): Promise<boolean> => {
    const legacy = scoreSources(target, project, {}, now())?.legacy;
    return legacy !== undefined && (await itemsOf(database, "scores").page({ ...legacy, limit: 1 })).scanned > 0;
  };
