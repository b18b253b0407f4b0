import * as v from "valibot";
import { tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { hourComputation } from "./computation.ts";
import { hourItems, mainItem, mainKey, type ComputedHour, type MainItem } from "./items.ts";
import type { HourKey } from "./keys.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { projectExistence } from "../access/existing-projects.ts";

/** Computes and stores hourly rollups: counts, latencies and model usage of the traces that started in an hour. */
export interface HourRollups {
  /**
   * Computes an hour's rollup from its rows and stores it, at most once per interval: n / 500 seconds for n rows, at
   * least 1 second. Of concurrent computations the one that read the rows last wins. An hour without rows or rollup of a
   * deleted project is not stored: its deletion may have read the rollups for the last time.
   *
   * @param until deadline, epoch milliseconds; absent without a deadline.
   * @returns false when the interval is not over, the deadline passed, or concurrent writers were faster at every
   *   attempt.
   */
  refresh(key: HourKey, until?: number): Promise<boolean>;
  /**
   * Computes an hour's rollup and stores it if the stored one differs.
   *
   * @param until deadline, epoch milliseconds; absent without a deadline.
   * @returns true if the stored rollup differed; null when the deadline passed before the result.
   */
  check(key: HourKey, until?: number): Promise<boolean | null>;
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.from(a).equals(b);

/** True if the stored rollup equals the computed one. */
const isUpToDate = (key: HourKey, before: MainItem | null, computed: ComputedHour): boolean => {
  if (before === null) return computed.figures.traces === 0;
  const { main } = hourItems(key, before, computed);
  return isSame(main.t, before.t) && isSame(main.u, before.u);
};

/** Min milliseconds between two computations of an hour. */
const interval = ({ n }: MainItem): number => Math.max(1_000, n * 2);

export const hourRollups = (database: Database, now: () => number = Date.now): HourRollups => {
  const aggregates = itemsOf(database, "aggregates");
  const compute = hourComputation(database, now);
  const projectExists = projectExistence(database);

  const readMain = async (key: HourKey): Promise<MainItem | null> => {
    const item = await aggregates.get(mainKey(key));
    return item === undefined ? null : v.parse(mainItem, item);
  };

  /**
   * Stores a computed rollup, all items or none, unless the hour was stored by another writer since it was read as
   * `before`.
   */
  const store = (key: HourKey, before: MainItem | null, computed: ComputedHour): Promise<boolean> => {
    const { main, otherItems, stale } = hourItems(key, before, computed);
    const isUnchanged = { when: before === null ? ifAbsent : "g = :g", values: { ":g": before?.g } };
    if (otherItems.length + stale.length === 0) return succeeds(aggregates.put(main, isUnchanged));
    const others = [...otherItems.map((put) => ({ put })), ...stale.map((remove) => ({ remove }))];
    return succeeds(aggregates.transact([{ put: main, ...isUnchanged }, ...others]));
  };

  return {
    refresh: (key, until = Number.POSITIVE_INFINITY) =>
      withRetries<boolean>(
        immediateRetryPolicy,
        () => false,
        async () => {
          if (isExpiredDay(key.expiry, now())) return true;
          const before = await readMain(key);
          if (before !== null && now() < before.at + interval(before)) return false;
          const computed = await compute(key, before?.r === true, until);
          if (computed === null) return false;
          const isNewAndEmpty = before === null && computed.figures.traces === 0;
          if (isNewAndEmpty && !(await projectExists(key.project))) return true;
          return (await store(key, before, computed)) || tryAgain;
        },
      ),

    check: async (key, until = Number.POSITIVE_INFINITY) => {
      if (isExpiredDay(key.expiry, now())) return false;
      const before = await readMain(key);
      const computed = await compute(key, before?.r === true, until);
      if (computed === null) return null;
      return !isUpToDate(key, before, computed) && (await store(key, before, computed));
    },
  };
};
