import { sideBySide } from "../../../async/side-by-side.ts";
import type { ConditionedScore, ScoresByName } from "../../../domain/score-condition.ts";
import type { NewestScore } from "../../../domain/scores/newest-score.ts";
import { batchGet } from "../../batch-get.ts";
import type { Database } from "../../database.ts";
import { isLive } from "../../is-live.ts";
import type { Life, ScoresOf } from "../../traces/lists/selection.ts";
import type { ScoreTarget } from "../keys.ts";
import { markKey, newestKey, unpackNewest, type ScoredLife } from "../newest-codec.ts";
import { newestScores } from "../newest.ts";
import { formerProbe } from "./former-probe.ts";

/** Keys in one request, and requests under way. */
const [keysTogether, requests] = [100, 16];

/** Lives whose newest scores are read one life at a time. */
const livesTogether = 20;

interface Key {
  readonly pk: string;
  readonly sk: string;
}

const textOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const valuesOf = (found: readonly (NewestScore | null)[]): ScoresByName => {
  const values = new Map<string, ConditionedScore>();
  for (const each of found) if (each?.score != null) values.set(each.name, each.score);
  return values;
};

/**
 * The newest successful scores that traces or sessions have under some names: half a read unit for each life and name, a
 * hundred in a request. They may lag writes by seconds.
 */
export const newestValues = (database: Database, target: ScoreTarget, now: () => number = Date.now): ScoresOf => {
  const [byLife, hasFormer] = [newestScores(database, now), formerProbe(database, target, now)];

  const itemsOf = async (keys: readonly Key[]): Promise<ReadonlyMap<string, Record<string, unknown>>> => {
    const groups = Array.from({ length: Math.ceil(keys.length / keysTogether) }, (_, group) =>
      keys.slice(group * keysTogether, (group + 1) * keysTogether),
    );
    const found = await sideBySide(groups, requests, (group) =>
      batchGet(
        database,
        "aggregates",
        group.map((key) => ({ ...key })),
        { strongly: false },
      ),
    );
    return new Map(found.flat().map((item) => [`${String(item["pk"])} ${String(item["sk"])}`, item]));
  };

  return async (project, lives, names) => {
    if (lives.length === 0) return [];
    const scored = lives.map(({ id, incarnation }: Life): ScoredLife => ({ project, target, id, incarnation }));
    const former = await hasFormer(project);
    const keysOf = (life: ScoredLife): readonly Key[] => names.map((name) => newestKey(life, name));
    const marks = former ? scored.map(markKey) : [];
    const items = await itemsOf([...scored.flatMap(keysOf), ...marks]);
    const isOpen = (life: ScoredLife): boolean =>
      items.get(textOf(markKey(life)))?.["b"] === true || keysOf(life).every((key) => !items.has(textOf(key)));
    const open = new Set(former ? scored.filter(isOpen) : []);
    const wanted = new Set(names);
    const read = new Map(
      await sideBySide(open, livesTogether, async (life) => {
        const [found = []] = await byLife.of([life]);
        return [life, valuesOf(found.filter(({ name }) => wanted.has(name)))] as const;
      }),
    );
    return scored.map((life) => {
      const known = read.get(life);
      if (known !== undefined) return known;
      const own = keysOf(life).map((key) => items.get(textOf(key)));
      return valuesOf(own.map((item) => (item === undefined || !isLive(item, now()) ? null : unpackNewest(item))));
    });
  };
};
