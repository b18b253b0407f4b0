import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { again, attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import { isConditionFailure } from "../failure.ts";
import * as patience from "../patience.ts";

export interface RateLimits {
  /**
   * Counts a request.
   *
   * @returns null when it is within the limit, else the whole seconds after which the window ends.
   */
  count(client: string, route: string, perMinute: number): Promise<number | null>;
}

const windowMilliseconds = 60_000;

/** DynamoDB deletes within days; the window itself is read from the item. */
const keepSeconds = 3600;

/** The document client leaves the item of a failed condition in DynamoDB's own form. */
const counter = v.object({ until: v.object({ N: v.pipe(v.string(), v.transform(Number)) }) });

/** Exact counters: the window of 60 seconds begins with the first request counted in it. */
export const rateLimits = ({ client, table }: Database, now: () => number = Date.now): RateLimits => {
  /** @returns null when the condition held, else what was met. */
  const update = async (pk: string, expression: string, condition: string, values: Record<string, unknown>) => {
    try {
      await client.send(
        new UpdateCommand({
          TableName: table("limits"),
          Key: { pk },
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeNames: { "#until": "until", ...(expression.includes("#ttl") ? { "#ttl": "ttl" } : {}) },
          ExpressionAttributeValues: values,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return null;
    } catch (error) {
      if (isConditionFailure(error)) return { item: error.Item };
      throw error;
    }
  };

  return {
    count: (principal, route, perMinute) => {
      const pk = `${principal}#${route}`;
      const uncounted = unavailable("The request could not be counted. Try again.");
      return attempts(patience.brief, uncounted, async () => {
        const at = now();
        const met = await update(pk, "ADD n :one", "#until > :now AND n < :most", {
          ":one": 1,
          ":now": at,
          ":most": perMinute,
        });
        if (met === null) return null;
        const until = met.item === undefined ? 0 : v.parse(counter, met.item).until.N;
        if (until > at) return Math.max(1, Math.ceil((until - at) / 1000));
        const opened = await update(
          pk,
          "SET n = :one, #until = :until, #ttl = :ttl",
          "attribute_not_exists(pk) OR #until <= :now",
          {
            ":one": 1,
            ":now": at,
            ":until": at + windowMilliseconds,
            ":ttl": Math.ceil(at / 1000) + keepSeconds,
          },
        );
        return opened === null ? null : again;
      });
    },
  };
};
