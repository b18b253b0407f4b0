import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { isOutage } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** A sum in the current minute, as far as this process knows it. */
interface Sum {
  /**
   * Amount that all processes had reported by this process's last report or refresh, plus this process's unreported
   * amount.
   */
  readonly total: number;
  /** Whole seconds until the minute ends, at least 1. */
  readonly seconds: number;
}

/**
 * Sums per minute that many processes add to. Each process reports its additions in blocks, so that most additions
 * need no request: a sum never exceeds the added amount, and lacks at most one block per process.
 */
export interface MinuteSums {
  /** Returns the sum as far as this process knows it, without a request. */
  current(key: string): Sum;
  /**
   * Reads the sum that other processes reported in this minute, at most once per minute and process. The result can
   * be seconds old.
   */
  refresh(key: string): Promise<Sum>;
  /**
   * Adds to a sum, and reports the addition when a block is full or the limit is reached. A failed report is repeated
   * with the next one.
   *
   * @param limit relevant limit of the sum; beyond it the sum need not be exact.
   */
  add(key: string, amount: number, limit: number): Promise<Sum>;
}

const minuteMilliseconds = 60_000;

/** Seconds an item is stored after its minute. DynamoDB deletes expired items within days. */
const retentionSeconds = 3600;

/** Block size: 1% of the limit, between 1 and 100. */
const blockOf = (limit: number): number => Math.max(1, Math.min(100, Math.floor(limit / 100)));

const counterItem = v.object({ n: v.number() });

export const minuteSums = (database: Database, now: () => number = Date.now): MinuteSums => {
  const limits = itemsOf(database, "limits");
  let minute = 0;
  let sums = new Map<string, { reported: number; unreported: number; isRefreshed: boolean }>();

  const sumOf = (key: string) => {
    const current = Math.floor(now() / minuteMilliseconds);
    if (current !== minute) [minute, sums] = [current, new Map()];
    const sum = sums.get(key) ?? { reported: 0, unreported: 0, isRefreshed: false };
    sums.set(key, sum);
    return sum;
  };

  const seconds = (): number => Math.max(1, Math.ceil(((minute + 1) * minuteMilliseconds - now()) / 1000));

  const stateOf = (sum: { readonly reported: number; readonly unreported: number }): Sum => ({
    total: sum.reported + sum.unreported,
    seconds: seconds(),
  });

  const keyOf = (key: string) => ({ pk: `${key}#${minute}` });

  const report = async (key: string, amount: number): Promise<number | null> => {
    try {
      const { Attributes } = await limits.update(keyOf(key), "SET #ttl = :ttl ADD n :amount", {
        values: { ":ttl": Math.ceil(now() / 1000) + retentionSeconds, ":amount": amount },
        ReturnValues: "UPDATED_NEW",
      });
      return v.parse(counterItem, Attributes).n;
    } catch (error) {
      if (isOutage(error)) return null;
      throw error;
    }
  };

  return {
    current: (key) => stateOf(sumOf(key)),

    refresh: async (key) => {
      const sum = sumOf(key);
      if (!sum.isRefreshed) {
        sum.isRefreshed = true;
        const item = await limits.get(keyOf(key), { strongly: false });
        if (item !== undefined) sum.reported = Math.max(sum.reported, v.parse(counterItem, item).n);
      }
      return stateOf(sum);
    },

    add: async (key, amount, limit) => {
      const sum = sumOf(key);
      sum.unreported += amount;
      const room = limit - sum.reported;
      if (room > 0 && sum.unreported >= Math.min(blockOf(limit), room)) {
        const amountToReport = sum.unreported;
        sum.unreported = 0;
        const total = await report(key, amountToReport);
        if (total === null) sum.unreported += amountToReport;
        else [sum.reported, sum.isRefreshed] = [Math.max(sum.reported, total), true];
      }
      return stateOf(sum);
    },
  };
};
