import type { Score } from "../../domain/scores/score.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import type { ScoreKind } from "./kind.ts";

/** A place that a score can have: its project and its id. */
type ScorePlace = readonly [project: string, id: string];

/** Reads scores by id, strongly consistent. */
export const scoreReader = <S extends Score>(database: Database, kind: ScoreKind<S>, now: () => number = Date.now) => ({
  /** Returns the first of several places that has a score, with a request for each hundred; null if none has. */
  firstOf: async (places: readonly ScorePlace[]): Promise<ScorePlace | null> => {
    const keys = places.map(([project, id]) => kind.key(project, id));
    const live = (await batchGet(database, "scores", keys)).filter((item) => isLive(item, now()));
    return places.find((_, at) => live.some(({ pk, sk }) => pk === keys[at]?.pk && sk === keys[at]?.sk)) ?? null;
  },

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
