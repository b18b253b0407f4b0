import type { Score } from "../../domain/scores/score.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import type { ScoreKind } from "./kind.ts";

/** Reads scores by id, strongly consistent. */
export const scoreReader = <S extends Score>(database: Database, kind: ScoreKind<S>, now: () => number = Date.now) => ({
  /** Reads scores by their ids, in the order of the ids; absent ones are left out. */
  read: async (project: string, ids: readonly string[]): Promise<S[]> => {
    const items = await batchGet(
      database,
      "scores",
      ids.map((id) => kind.key(project, id)),
    );
    const live = items.filter((item) => isLive(item, now())).map((item) => kind.unpack(item["d"]));
    const scoreById = new Map(live.map((score) => [score.id, score]));
    return ids.flatMap((id) => scoreById.get(id) ?? []);
  },
});
