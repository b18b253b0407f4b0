import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import { isThrottled, refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";

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
  const moved = contended("Scores were changed at every attempt to remove them.");

  /** @param open pairs of the group whose scores are deleted, too. */
  const deleteAtOnce = async (group: readonly ScorePair[], open = group): Promise<void> => {
    const TransactItems: Action[] = [
      ...open.map(({ score }) => ({ Delete: { TableName, Key: score, ...condition } })),
      ...group.map(({ copy }) => ({ Delete: { TableName, Key: copy } })),
    ];
    const refused = await attempts(patience.worker, moved, () =>
      refusedActions(client.send(new TransactWriteCommand({ TransactItems }))),
    );
    if (refused.size === 0) return;
    await deleteAtOnce(
      group,
      open.filter((_, index) => !refused.has(index)),
    );
  };

  /** In halves while DynamoDB has no capacity for all of it. */
  const deleteGroup = async (group: readonly ScorePair[]): Promise<void> => {
    try {
      await deleteAtOnce(group);
    } catch (error) {
      if (!isThrottled(error) || group.length === 1) throw error;
      const half = Math.ceil(group.length / 2);
      await deleteGroup(group.slice(0, half));
      await deleteGroup(group.slice(half));
    }
  };
  for (let start = 0; start < pairs.length; start += groupSize) {
    await deleteGroup(pairs.slice(start, start + groupSize));
  }
};
