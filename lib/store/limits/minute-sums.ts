import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { isOutage } from "../failure.ts";

/** What a process knows of a sum of this minute. */
interface Sum {
  /** What all processes have told, as of when this one told or looked last, and what this one has not told yet. */
  readonly known: number;
  /** Whole seconds until the minute ends, 1 at least. */
  readonly seconds: number;
}

/**
 * Sums of a minute that many processes add to. Each tells what it has added in blocks, so that most additions cost nothing:
 * a sum is never more than what was added, and less by a block a process at most.
 */
export interface MinuteSums {
  /** What is known, without a request. */
  known(key: string): Sum;
  /** The same, once this process has asked what others have told in this minute. The answer may be seconds old. */
  look(key: string): Promise<Sum>;
  /**
   * Adds to a sum, and tells it when a block is full, or what is left to `most`. What cannot be told is told later.
   *
   * @param most the sum that matters: nobody needs to know more exactly how far beyond it is.
   */
  add(key: string, amount: number, most: number): Promise<Sum>;
}

const minuteMilliseconds = 60_000;

/** DynamoDB deletes within days; a sum is nobody's once its minute is over. */
const keepSeconds = 3600;

/** A hundredth of what matters, but no more than what is soon added again. */
const blockOf = (most: number): number => Math.max(1, Math.min(100, Math.floor(most / 100)));

const told = v.object({ n: v.number() });

export const minuteSums = ({ client, table }: Database, now: () => number = Date.now): MinuteSums => {
  let minute = 0;
  let sums = new Map<string, { told: number; own: number; looked: boolean }>();

  const sumOf = (key: string) => {
    const current = Math.floor(now() / minuteMilliseconds);
    if (current !== minute) [minute, sums] = [current, new Map()];
    const sum = sums.get(key) ?? { told: 0, own: 0, looked: false };
    sums.set(key, sum);
    return sum;
  };

  const seconds = (): number => Math.max(1, Math.ceil(((minute + 1) * minuteMilliseconds - now()) / 1000));

  const stateOf = (sum: { readonly told: number; readonly own: number }): Sum => ({
    known: sum.told + sum.own,
    seconds: seconds(),
  });

  const at = (key: string) => ({ TableName: table("limits"), Key: { pk: `${key}#${minute}` } });

  const tell = async (key: string, amount: number): Promise<number | null> => {
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          ...at(key),
          UpdateExpression: "SET #ttl = :ttl ADD n :amount",
          ExpressionAttributeNames: { "#ttl": "ttl" },
          ExpressionAttributeValues: { ":ttl": Math.ceil(now() / 1000) + keepSeconds, ":amount": amount },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      return v.parse(told, Attributes).n;
    } catch (error) {
      if (isOutage(error)) return null;
      throw error;
    }
  };

  return {
    known: (key) => stateOf(sumOf(key)),

    look: async (key) => {
      const sum = sumOf(key);
      if (!sum.looked) {
        sum.looked = true;
        const { Item } = await client.send(new GetCommand({ ...at(key) }));
        if (Item !== undefined) sum.told = Math.max(sum.told, v.parse(told, Item).n);
      }
      return stateOf(sum);
    },

    add: async (key, amount, most) => {
      const sum = sumOf(key);
      sum.own += amount;
      const room = most - sum.told;
      if (room > 0 && sum.own >= Math.min(blockOf(most), room)) {
        const telling = sum.own;
        sum.own = 0;
        const all = await tell(key, telling);
        if (all === null) sum.own += telling;
        else [sum.told, sum.looked] = [Math.max(sum.told, all), true];
      }
      return stateOf(sum);
    },
  };
};
