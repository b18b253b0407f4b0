import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { again, attempts } from "../attempts.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import * as patience from "../patience.ts";
import { hourComputation } from "./computation.ts";
import { hourItems, mainItem, mainKey, type Computed, type MainItem } from "./items.ts";
import type { HourKey } from "./keys.ts";
import { isGone } from "../expiry.ts";

export interface HourRollups {
  /**
   * Computes an hour from its rows and stores it, unless that was done a moment ago: an hour of n rows is computed once
   * in n / 500 seconds, at most once a second. Of several at once the one that read the rows last wins.
   *
   * @param until epoch milliseconds; absent: there is all the time.
   * @returns false when it is too early, the time is over, or others were faster again and again.
   */
  refresh(key: HourKey, until?: number): Promise<boolean>;
  /**
   * Computes an hour and stores it where something else is stored.
   *
   * @param until as above.
   * @returns whether something else was; null when the time was over before it was known.
   */
  check(key: HourKey, until?: number): Promise<boolean | null>;
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.from(a).equals(b);

/** Whether an hour is stored as it was computed. */
const isStored = (key: HourKey, before: MainItem | null, computed: Computed): boolean => {
  if (before === null) return computed.figures.traces === 0;
  const { main } = hourItems(key, before, computed);
  return isSame(main.t, before.t) && isSame(main.u, before.u);
};

/** Milliseconds in which an hour is computed once. */
const interval = ({ n }: MainItem): number => Math.max(1_000, n * 2);

export const hourRollups = (database: Database, now: () => number = Date.now): HourRollups => {
  const { client, table } = database;
  const compute = hourComputation(database, now);

  const readMain = async (key: HourKey): Promise<MainItem | null> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table("aggregates"), Key: mainKey(key), ConsistentRead: true }),
    );
    return Item === undefined ? null : v.parse(mainItem, Item);
  };

  /** Stores what was computed, if nobody has since the hour was read as `before`: all items of it or none. */
  const store = (key: HourKey, before: MainItem | null, computed: Computed): Promise<boolean> => {
    const TableName = table("aggregates");
    const { main, others, stale } = hourItems(key, before, computed);
    const unchanged =
      before === null
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : { ConditionExpression: "g = :g", ExpressionAttributeValues: { ":g": before.g } };
    const put = { TableName, Item: main, ...unchanged };
    if (others.length + stale.length === 0) return succeeds(client.send(new PutCommand(put)));
    return succeeds(
      client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: put },
            ...others.map((Item) => ({ Put: { TableName, Item } })),
            ...stale.map((Key) => ({ Delete: { TableName, Key } })),
          ],
        }),
      ),
    );
  };

  return {
    refresh: (key, until = Number.POSITIVE_INFINITY) =>
      attempts<boolean>(
        patience.brief,
        () => false,
        async () => {
          if (isGone(key.expiry, now())) return true;
          const before = await readMain(key);
          if (before !== null && now() < before.at + interval(before)) return false;
          const computed = await compute(key, before?.r === true, until);
          if (computed === null) return false;
          return (await store(key, before, computed)) || again;
        },
      ),

    check: async (key, until = Number.POSITIVE_INFINITY) => {
      if (isGone(key.expiry, now())) return false;
      const before = await readMain(key);
      const computed = await compute(key, before?.r === true, until);
      if (computed === null) return null;
      return !isStored(key, before, computed) && (await store(key, before, computed));
    },
  };
};
