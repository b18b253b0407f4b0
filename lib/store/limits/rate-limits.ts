import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { again, attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import { isConditionFailure } from "../failure.ts";
import * as patience from "../patience.ts";

/** What a client has left. */
export interface Count {
  /** Whether the request is within the limit. */
  readonly admitted: boolean;
  /** Requests left in the window. */
  readonly remaining: number;
  /** Whole seconds after which the window ends, 1 at least. */
  readonly seconds: number;
}

export interface RateLimits {
  /** Counts a request. */
  count(client: string, route: string, perMinute: number): Promise<Count>;
}

const windowMilliseconds = 60_000;

/** DynamoDB deletes within days; the window itself is read from the item. */
const keepSeconds = 3600;

/** The document client leaves the item of a failed condition in DynamoDB's own form. */
const counter = v.object({ until: v.object({ N: v.pipe(v.string(), v.transform(Number)) }) });

const counted = v.object({ n: v.number(), until: v.number() });

/** Exact counters: the window of 60 seconds begins with the first request counted in it. */
export const rateLimits = ({ client, table }: Database, now: () => number = Date.now): RateLimits => {
  /** @returns what is there now when the condition held, else what was met. */
  const update = async (pk: string, expression: string, condition: string, values: Record<string, unknown>) => {
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: table("limits"),
          Key: { pk },
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeNames: { "#until": "until", ...(expression.includes("#ttl") ? { "#ttl": "ttl" } : {}) },
          ExpressionAttributeValues: values,
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return { is: v.parse(counted, Attributes) };
    } catch (error) {
      if (isConditionFailure(error)) return { was: error.Item };
      throw error;
    }
  };

  return {
    count: (principal, route, perMinute) => {
      const pk = `${principal}#${route}`;
      const uncounted = unavailable("The request could not be counted. Try again.");
      return attempts(patience.brief, uncounted, async () => {
        const at = now();
        const told = (n: number, until: number, admitted = true): Count => ({
          admitted,
          remaining: Math.max(0, perMinute - n),
          seconds: Math.max(1, Math.ceil((until - at) / 1000)),
        });
        const added = await update(pk, "ADD n :one", "#until > :now AND n < :most", {
          ":one": 1,
          ":now": at,
          ":most": perMinute,
        });
        if ("is" in added) return told(added.is.n, added.is.until);
        const until = added.was === undefined ? 0 : v.parse(counter, added.was).until.N;
        if (until > at) return told(perMinute, until, false);
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
        return "is" in opened ? told(1, opened.is.until) : again;
      });
    },
  };
};
