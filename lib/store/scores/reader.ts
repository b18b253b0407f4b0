import type { Score } from "../../domain/scores/score.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import type { ScoreKind } from "./kind.ts";

/** A place that a score can have: its project and its id. */
type ScorePlace = readonly [project: string, id: string];

/** Reads scores by id, strongly consistent. */
export const scoreReader = <S extends Score>(database: Database, kind: ScoreKind<S>, now: () => number = Date.now) => ({
  /** Returns those of some places that have a score, in the same order, with a request for each hundred. */
  existing: async (places: readonly ScorePlace[]): Promise<readonly ScorePlace[]> => {
    const textOf = ({ pk, sk }: Record<string, unknown>): string => JSON.stringify([pk, sk]);
    const keys = places.map(([project, id]) => kind.key(project, id));
    const distinctKeys = [...new Map(keys.map((key) => [textOf(key), key])).values()];
    const items = await batchGet(database, "scores", distinctKeys);
    const live = new Set(items.filter((item) => isLive(item, now())).map(textOf));
    return places.filter((_, at) => live.has(textOf(keys[at] ?? {})));
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
