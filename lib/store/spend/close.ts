import { paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Micros } from "../../domain/runs/spend.ts";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import { stays, type Erase } from "../erase-items.ts";
import { refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";
import { bookPartition, bookPrefix, expiryOf, readBooks, shardKey, type SliceBooks } from "./items.ts";

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** DynamoDB's limit of a transaction. */
const maxActions = 100;

const keys = v.object({ pk: v.string(), sk: v.string() });

/** A slice's record, and where it lies. */
interface StoredBook {
  readonly key: v.InferOutput<typeof keys>;
  readonly record: SliceBooks;
}

/** What books hold, and have counted as reserved, by the shards of the budgets that outlive their project. */
const heldBy = (
  project: string,
  books: readonly StoredBook[],
): ReadonlyMap<string, { readonly amount: Micros; readonly reserved: Micros }> => {
  const held = new Map<string, { readonly amount: Micros; readonly reserved: Micros }>();
  for (const { record } of books) {
    for (const [budget, { takes, reserved = 0 }] of Object.entries(record.books)) {
      if (budget.startsWith(`${project}#`)) continue;
      for (const [nth, [shard, amount]] of Object.entries(takes).entries()) {
        const { pk } = shardKey(budget, Number(shard));
        const before = held.get(pk) ?? { amount: 0, reserved: 0 };
        held.set(pk, { amount: before.amount + amount, reserved: before.reserved + (nth === 0 ? reserved : 0) });
      }
    }
  }
  return held;
};

/** Books that go into one transaction with the shards that they hold something of. */
const groupsOf = function* (project: string, books: readonly StoredBook[]): Generator<readonly StoredBook[]> {
  let group: StoredBook[] = [];
  for (const book of books) {
    const larger = [...group, book];
    if (group.length > 0 && larger.length + heldBy(project, larger).size > maxActions) {
      yield group;
      group = [book];
    } else group = larger;
  }
  if (group.length > 0) yield group;
};

/**
 * Closes the books of a run that is erased, when nobody moves them any more: what they hold of the budgets that stay is added
 * to what is closed there, in the transaction that removes them.
 */
export const closeBooks = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("spend");

  const close = async (project: string, group: readonly StoredBook[]): Promise<boolean> => {
    const removals = group.map(({ key, record }): Action => ({
      Delete: {
        TableName,
        Key: key,
        ConditionExpression: "version = :version",
        ExpressionAttributeValues: { ":version": record.version },
      },
    }));
    const shards = [...heldBy(project, group)].map(([pk, { amount, reserved }]): Action => ({
      Update: {
        TableName,
        Key: { pk, sk: "shard" },
        UpdateExpression: `ADD closed :amount${reserved === 0 ? "" : ", reserved :unreserved"} SET #ttl = :ttl`,
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: {
          ":amount": amount,
          ...(reserved !== 0 && { ":unreserved": -reserved }),
          ":ttl": expiryOf(now()),
        },
      },
    }));
    const moved = contended("The budgets of judging moved at every attempt to close books.");
    const refused = await attempts(patience.worker, moved, () =>
      refusedActions(client.send(new TransactWriteCommand({ TransactItems: [...removals, ...shards] }))),
    );
    return refused.size === 0;
  };

  return async function* (project: string, run: string): ReturnType<Erase> {
    const pages = paginateQuery(
      { client, pageSize: maxActions },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": bookPartition(project, run), ":prefix": bookPrefix },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) {
      const books = Items.map((item): StoredBook => ({ key: v.parse(keys, item), record: readBooks(item) }));
      // What has moved is looked at again by the next pass.
      for (const group of groupsOf(project, books)) yield (await close(project, group)) ? group.length : stays;
    }
  };
};
