import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../database.ts";
import { cancellationReasons, isConflict } from "../failure.ts";

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type Delete = Omit<NonNullable<Action["Delete"]>, "TableName" | "Key">;

interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The keys of a score and of its copy. */
export interface ScorePair {
  readonly score: Key;
  readonly copy: Key;
}

/** Pairs in one transaction: it holds 100 actions. */
const groupSize = 50;
const maxAttempts = 12;

/**
 * Deletes scores with their copies, each pair at once, so that a process that dies leaves no half of one. What is gone
 * already is no error.
 *
 * @param condition under which a score is deleted; where it fails, only the copy is.
 */
export const deletePairs = async (
  { client, table }: Database,
  pairs: readonly ScorePair[],
  condition: Delete = {},
): Promise<void> => {
  const TableName = table("scores");
  const deleteGroup = async (group: readonly ScorePair[]): Promise<void> => {
    const spared = new Set<ScorePair>();
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const open = group.filter((pair) => !spared.has(pair));
      const TransactItems: Action[] = [
        ...open.map(({ score }) => ({ Delete: { TableName, Key: score, ...condition } })),
        ...group.map(({ copy }) => ({ Delete: { TableName, Key: copy } })),
      ];
      try {
        await client.send(new TransactWriteCommand({ TransactItems }));
        return;
      } catch (error) {
        const reasons = cancellationReasons(error);
        const refused = open.filter((_, index) => reasons?.[index] === "ConditionalCheckFailed");
        if (refused.length === 0 && !isConflict(error)) throw error;
        for (const pair of refused) spared.add(pair);
        if (refused.length === 0) await wait(Math.random() * Math.min(1000, 20 * 2 ** attempt));
      }
    }
    throw new Error("Scores were changed at every attempt to remove them.");
  };
  for (let start = 0; start < pairs.length; start += groupSize) {
    await deleteGroup(pairs.slice(start, start + groupSize));
  }
};
