import * as v from "valibot";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { isConditionFailure } from "../../dynamo/failure.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";

/** Result of counting a request against a rate limit. */
export interface RateLimitResult {
  /** True if the request is within the limit. */
  readonly admitted: boolean;
  /** Requests left in the window. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly seconds: number;
}

/** Counters of requests by client and route. */
export interface RateLimits {
  /** Counts a request of a client to a route. */
  count(client: string, route: string, perMinute: number): Promise<RateLimitResult>;
}

const windowMilliseconds = 60_000;

/**
 * Seconds an item is stored after its window began. DynamoDB deletes expired items within days; the window itself is
 * an attribute.
 */
const retentionSeconds = 3600;

/**
 * Schema of the existing item that a failed condition returns; the document client leaves it in DynamoDB's own format.
 */
const failedItem = v.object({ until: v.object({ N: v.pipe(v.string(), v.transform(Number)) }) });

const counterAttributes = v.object({ n: v.number(), until: v.number() });

/** Exact counters of requests: a window of 60 seconds starts with the first request counted in it. */
export const rateLimits = (database: Database, now: () => number = Date.now): RateLimits => {
  /**
   * Updates a counter.
   *
   * @returns `is`, the new attributes, when the condition held; otherwise `was`, the existing item.
   */
  const update = async (pk: string, change: string, when: string, values: Item) => {
    try {
      const { Attributes } = await itemsOf(database, "limits").update({ pk }, change, {
        when,
        values,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return { is: v.parse(counterAttributes, Attributes) };
    } catch (error) {
      if (isConditionFailure(error)) return { was: error.Item };
      throw error;
    }
  };

  return {
    count: (principal, route, perMinute) => {
      const pk = `${principal}#${route}`;
      const unavailable = throwUnavailable("The request could not be counted. Try again.");
      return withRetries(immediateRetryPolicy, unavailable, async () => {
        const at = now();
        const resultOf = (n: number, until: number, admitted = true): RateLimitResult => ({
          admitted,
          remaining: Math.max(0, perMinute - n),
          seconds: Math.max(1, Math.ceil((until - at) / 1000)),
        });
        const increment = await update(pk, "ADD n :one", "#until > :now AND n < :most", {
          ":one": 1,
          ":now": at,
          ":most": perMinute,
        });
        if ("is" in increment) return resultOf(increment.is.n, increment.is.until);
        const until = increment.was === undefined ? 0 : v.parse(failedItem, increment.was).until.N;
        if (until > at) return resultOf(perMinute, until, false);
        const newWindow = await update(
          pk,
          "SET n = :one, #until = :until, #ttl = :ttl",
          "attribute_not_exists(pk) OR #until <= :now",
          {
            ":one": 1,
            ":now": at,
            ":until": at + windowMilliseconds,
            ":ttl": Math.ceil(at / 1000) + retentionSeconds,
          },
        );
        return "is" in newWindow ? resultOf(1, newWindow.is.until) : tryAgain;
      });
    },
  };
};
