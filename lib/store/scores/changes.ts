import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Score } from "../../domain/scores/score.ts";
import { attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import type { ScoreKind } from "./kind.ts";
import { isLive } from "../is-live.ts";

const storedItem = v.object({
  d: v.instance(Uint8Array),
  i: v.optional(v.string()),
  ttl: v.optional(v.number()),
  bh: v.optional(v.string()),
});

/** Edits and removes single scores; a score and its copy change together. */
export const scoreChanges = <S extends Score>(
  { client, table }: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
) => {
  const TableName = table("scores");

  const read = async (project: string, id: string) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: kind.key(project, id), ConsistentRead: true }));
    if (Item === undefined || !isLive(Item, now())) return null;
    const { d, i = null, ttl = null, bh = null } = v.parse(storedItem, Item);
    return { d, score: kind.unpack(d), lifetime: { incarnation: i, expiresAt: ttl, bodyHash: bh } };
  };

  type Held = NonNullable<Awaited<ReturnType<typeof read>>>;
  type Actions = (held: Held) => ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"];

  /** Repeats until nobody else changed the score in between. @returns what the change began with; null when it is gone. */
  const change = (project: string, id: string, actions: Actions): Promise<S | null> =>
    attempts(patience.request, unavailable("The score is being changed by many requests. Try again."), async () => {
      const held = await read(project, id);
      if (held === null) return null;
      await client.send(new TransactWriteCommand({ TransactItems: actions(held) }));
      return held.score;
    });

  const unchanged = (d: Uint8Array) => ({ ConditionExpression: "d = :d", ExpressionAttributeValues: { ":d": d } });

  return {
    /** Replaces a score by what `edit` makes of it. @returns the score as it is now; null when there is none. */
    edit: async (project: string, id: string, edit: (score: S) => S): Promise<S | null> => {
      let edited: S | null = null;
      const before = await change(project, id, ({ d, score, lifetime }) => {
        edited = edit(score);
        const [Item, copy] = kind.items(edited, lifetime);
        return [
          { Put: { TableName, Item, ...unchanged(d) } },
          { Put: { TableName, Item: copy, ConditionExpression: "attribute_exists(pk)" } },
        ];
      });
      return before === null ? null : edited;
    },

    /** @returns false when there was no such score. */
    remove: async (project: string, id: string): Promise<boolean> => {
      const before = await change(project, id, ({ d, score, lifetime }) => {
        const [{ pk, sk }, copy] = kind.items(score, lifetime);
        return [
          { Delete: { TableName, Key: { pk, sk }, ...unchanged(d) } },
          { Delete: { TableName, Key: { pk: copy.pk, sk: copy.sk } } },
        ];
      });
      return before !== null;
    },
  };
};
