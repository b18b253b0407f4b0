import type { ComparableScore, ScoresByName } from "../../../domain/score-condition.ts";
import type { NewestScore } from "../../../domain/scores/newest-score.ts";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { isLive } from "../../../dynamo/is-live.ts";
import type { Incarnation, ScoresOf } from "../../traces/lists/list.ts";
import type { ScoreTarget } from "../keys.ts";
import { newestKey, unpackNewest, type ScoredIncarnation } from "./newest-codec.ts";

interface Key {
  readonly pk: string;
  readonly sk: string;
}

const keyText = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const valuesOf = (newestOfNames: readonly (NewestScore | null)[]): ScoresByName => {
  const values = new Map<string, ComparableScore>();
  for (const each of newestOfNames) if (each?.score != null) values.set(each.name, each.score);
  return values;
};

/**
 * Reads the newest successful scores of traces or sessions under some names: half a read unit per incarnation and
 * name, a hundred per request. They may lag writes by seconds.
 */
export const newestValues = (database: Database, target: ScoreTarget, now: () => number = Date.now): ScoresOf => {
  const itemsOf = async (keys: readonly Key[]): Promise<ReadonlyMap<string, Record<string, unknown>>> => {
    const items = await batchGet(
      database,
      "aggregates",
      keys.map((key) => ({ ...key })),
      { strongly: false },
    );
    return new Map(items.map((item) => [`${String(item["pk"])} ${String(item["sk"])}`, item]));
  };

  return async (project, incarnations, { names, giver }) => {
    if (incarnations.length === 0) return [];
    const scored = incarnations.map(({ id, incarnation }: Incarnation): ScoredIncarnation => ({
      project,
      target,
      id,
      incarnation,
    }));
    const keysOf = (target: ScoredIncarnation): readonly Key[] => names.map((name) => newestKey(target, name));
    const items = await itemsOf(scored.flatMap(keysOf));
    return scored.map((target) => {
      const ownItems = keysOf(target).map((key) => items.get(keyText(key)));
      return valuesOf(
        ownItems.map((item) => (item === undefined || !isLive(item, now()) ? null : unpackNewest(item, giver))),
      );
    });
  };
};
