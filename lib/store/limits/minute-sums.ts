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

/** An amount added to a sum before the work whose amount is not yet known. */
interface SumReservation {
  /** False if the sum had reached its limit before; then nothing is added. */
  readonly isAdmitted: boolean;
  /** Whole seconds until the minute ends, at least 1. */
  readonly seconds: number;
  /** Replaces the reserved amount by the actual one; a later call replaces the amount of the earlier one. */
  readonly correct: (amount: number) => Promise<void>;
}

/**
 * Sums per minute that many processes add to. Each process reports its additions in blocks, so that most additions
 * need no request: a sum never exceeds the added amount, and lacks at most one block per process.
 */
export interface MinuteSums {
  /** Returns the sum as far as this process knows it, without a request. */
  current(key: string): Sum;
  /**
   * Adds an amount to a sum below `limit`. Concurrent reservations of whole blocks see each other, in all processes;
   * what other processes have not reported can be missing.
   */
  reserve(key: string, amount: number, limit: number): Promise<SumReservation>;
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

  const add = async (key: string, amount: number, limit: number): Promise<Sum> => {
    const sum = sumOf(key);
    sum.unreported += amount;
    const [room, block] = [limit - sum.reported, blockOf(limit)];
    // A correction is reported above the limit too, because it makes room.
    if ((room > 0 && sum.unreported >= Math.min(block, room)) || sum.unreported <= -block) {
      const amountToReport = sum.unreported;
      sum.unreported = 0;
      const total = await report(key, amountToReport);
      if (total === null) sum.unreported += amountToReport;
      else [sum.reported, sum.isRefreshed] = [total, true];
    }
    return stateOf(sum);
  };

  /** Reads the reported sum, once per minute below the limit; above it each time, because corrections lower it. */
  const refresh = async (key: string, limit: number): Promise<Sum> => {
    const sum = sumOf(key);
    if (!sum.isRefreshed || sum.reported >= limit) {
      sum.isRefreshed = true;
      const item = await limits.get(keyOf(key));
      sum.reported = item === undefined ? 0 : v.parse(counterItem, item).n;
    }
    return stateOf(sum);
  };

  return {
    current: (key) => stateOf(sumOf(key)),
    add,

    reserve: async (key, amount, limit) => {
      const minuteOfReservation = Math.floor(now() / minuteMilliseconds);
      const before = await refresh(key, limit);
      const isFull = before.total >= limit;
      const { total, seconds: secondsLeft } = isFull ? before : await add(key, amount, limit);
      const isAdmitted = !isFull && total - amount < limit;
      let reserved = isFull ? 0 : amount;
      const correct = async (actual: number): Promise<void> => {
        const difference = actual - reserved;
        reserved = actual;
        // The next minute's sum has no reservation that could be returned.
        if (difference === 0 || (difference < 0 && Math.floor(now() / minuteMilliseconds) !== minuteOfReservation))
          return;
        await add(key, difference, limit);
      };
      if (!isAdmitted) await correct(0);
      return { isAdmitted, seconds: secondsLeft, correct };
    },
  };
};
