import { GetCommand, paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import {
  afterPlan,
  heldOf,
  planReturns,
  planTakes,
  shardCount,
  shareOf,
  type Micros,
  type Takes,
} from "../../domain/runs/spend.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { isLive } from "../is-live.ts";
import { bookKey, bookPartition, bookPrefix, expiryOf, readBooks, shardKey, type SliceBooks } from "./items.ts";

/** A delivery of a slice. */
export interface SliceDelivery {
  readonly project: string;
  readonly run: string;
  readonly slice: string;
  /** The lease's: rises with every worker that takes the slice. */
  readonly epoch: number;
}

/** How much a slice is to hold in a budget. */
export interface Target {
  readonly hold: Micros;
  /** What the slice had cost before it held anything there. */
  readonly base: Micros;
  /** The ceiling, where the budget may refuse. */
  readonly limit: Micros | null;
  /** What is used of each shard, where the budget may refuse. */
  readonly used: readonly Micros[];
  /** False for a budget that the slice will spend no more of: a month that has ended. */
  readonly goesOn: boolean;
}

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** What each budget of a slice is to hold when nothing is reserved: what the slice has spent of it. */
export const spentTargets = (books: SliceBooks | null, spent: Micros): Map<string, Target> =>
  new Map(
    Object.entries(books?.books ?? {}).map(([budget, { base }]) => [
      budget,
      { hold: Math.max(0, spent - base), base, limit: null, used: [], goesOn: true },
    ]),
  );

/** What slices hold, and how it is moved between them and the budgets. */
export const spendMoves = ({ client, table }: Database, now: () => number, random: () => number) => {
  const read = async ({ project, run, slice }: SliceDelivery): Promise<SliceBooks | null> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table("spend"), Key: bookKey(project, run, slice), ConsistentRead: true }),
    );
    return Item === undefined || !isLive(Item, now()) ? null : readBooks(Item);
  };

  /** The records of all slices of a run. */
  const ofRun = async (project: string, run: string): Promise<ReadonlyMap<string, SliceBooks>> => {
    const found = new Map<string, SliceBooks>();
    const pages = paginateQuery(
      { client },
      {
        TableName: table("spend"),
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": bookPartition(project, run), ":prefix": bookPrefix },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages)
      for (const item of Items)
        if (isLive(item, now())) found.set(String(item["sk"]).slice(bookPrefix.length), readBooks(item));
    return found;
  };

  /**
   * @param closed what is added to the part of what is used that no book tells of any more.
   * @param reserved what is added to the part of what is used that is not spent.
   */
  const shardUpdate = (
    budget: string,
    shard: number,
    {
      amount,
      limit,
      closed,
      reserved,
    }: Record<"amount" | "closed" | "reserved", Micros> & { readonly limit: Micros | null },
  ): Action => {
    const mayRefuse = limit !== null && amount > 0;
    return {
      Update: {
        TableName: table("spend"),
        Key: shardKey(budget, shard),
        UpdateExpression: `ADD used :amount${closed === 0 ? "" : ", closed :closed"}${reserved === 0 ? "" : ", reserved :reserved"} SET #ttl = :ttl`,
        ...(mayRefuse && { ConditionExpression: "attribute_not_exists(used) OR used <= :most" }),
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: {
          ":amount": amount,
          ":ttl": expiryOf(now()),
          ...(closed !== 0 && { ":closed": closed }),
          ...(reserved !== 0 && { ":reserved": reserved }),
          ...(mayRefuse && { ":most": shareOf(limit, shard) - amount }),
        },
      },
    };
  };

  const planOf = ({ hold, limit, used }: Target, takes: Takes): ReadonlyMap<number, Micros> | null => {
    const change = hold - heldOf(takes);
    if (change === 0) return new Map();
    if (change < 0) return planReturns(-change, takes);
    const preferred = Math.floor(random() * shardCount);
    return limit === null ? new Map([[preferred, change]]) : planTakes(change, limit, used, preferred);
  };

  /**
   * Makes a slice hold what the targets say and its record say so, in one transaction.
   *
   * @returns false when another writer was faster or a budget has no room any more: read again.
   */
  const move = async (
    delivery: SliceDelivery,
    before: SliceBooks | null,
    spent: Micros,
    targets: ReadonlyMap<string, Target>,
  ): Promise<boolean> => {
    const books: Record<string, SliceBooks["books"][string]> = { ...before?.books };
    const updates: Action[] = [];
    for (const [budget, target] of targets) {
      const { takes = {}, reserved: counted = 0 } = books[budget] ?? {};
      const plan = planOf(target, takes);
      if (plan === null) return false;
      const reserved = target.hold - Math.max(0, spent - target.base);
      const after = afterPlan(takes, plan);
      // What is used of a shard is at any time what is closed of it and what all books hold.
      const closed = new Map(target.goesOn ? [] : Object.entries(after).map(([shard, held]) => [Number(shard), held]));
      const moved = new Set([...plan.keys(), ...closed.keys()]);
      if (moved.size === 0 && reserved !== counted) moved.add(Number(Object.keys(takes)[0] ?? 0));
      for (const [nth, shard] of [...moved].entries())
        updates.push(
          shardUpdate(budget, shard, {
            amount: plan.get(shard) ?? 0,
            limit: target.limit,
            closed: closed.get(shard) ?? 0,
            // Only the sum over all shards tells anything: it is counted on any of them.
            reserved: nth === 0 ? reserved - counted : 0,
          }),
        );
      if (target.goesOn) books[budget] = { base: target.base, takes: after, ...(reserved > 0 && { reserved }) };
      else delete books[budget];
    }
    const { project, run, slice, epoch } = delivery;
    if (updates.length === 0 && before?.epoch === epoch && before.spent === spent) return true;
    const after: SliceBooks = { epoch, version: (before?.version ?? 0) + 1, spent, books };
    const record: Action = {
      Put: {
        TableName: table("spend"),
        Item: { ...bookKey(project, run, slice), ...after, ttl: expiryOf(now()) },
        ...(before === null
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : { ConditionExpression: "version = :before", ExpressionAttributeValues: { ":before": before.version } }),
      },
    };
    return await succeeds(client.send(new TransactWriteCommand({ TransactItems: [record, ...updates] })));
  };

  return { read, ofRun, move };
};
