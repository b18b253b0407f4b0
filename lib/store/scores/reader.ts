import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import type { Score } from "../../domain/scores/score.ts";
import type { Database } from "../database.ts";
import { isLive } from "../is-live.ts";
import type { ScoreKind } from "./kind.ts";

/** DynamoDB's limit of one batch of reads. */
const batchSize = 100;

/** Reads scores by id, strongly. */
export const scoreReader = <S extends Score>(
  { client, table }: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
) => {
  const readBatch = async (keys: Record<string, unknown>[]): Promise<readonly S[]> => {
    const scores: S[] = [];
    let Keys = keys;
    for (let pause = 20; Keys.length > 0; pause = Math.min(pause * 2, 1000)) {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [table("scores")]: { Keys, ConsistentRead: true } } }),
      );
      const items = Responses?.[table("scores")] ?? [];
      scores.push(...items.filter((item) => isLive(item, now())).map((item) => kind.unpack(item["d"])));
      Keys = UnprocessedKeys?.[table("scores")]?.Keys ?? [];
      if (Keys.length > 0) await wait(Math.random() * pause);
    }
    return scores;
  };

  return {
    /** The scores with these ids in their order; those that are not there are left out. */
    read: async (project: string, ids: readonly string[]): Promise<S[]> => {
      const found = new Map<string, S>();
      for (let start = 0; start < ids.length; start += batchSize) {
        const keys = ids.slice(start, start + batchSize).map((id) => kind.key(project, id));
        for (const score of await readBatch(keys)) found.set(score.id, score);
      }
      return ids.flatMap((id) => found.get(id) ?? []);
    },
  };
};
