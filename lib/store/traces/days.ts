import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { daysKey } from "./keys.ts";

/** The UTC days on which a project has traces. */
export interface TraceDays {
  /** Makes sure a day is listed, before its first row is written. */
  add(project: string, day: string): Promise<void>;
  /** Days in use, newest first. A day without rows may be among them; one with rows is never missing. */
  list(project: string, strongly: boolean): Promise<readonly string[]>;
  /**
   * Takes days without rows off the list of a project that nobody writes to any more: whoever wrote does not add a day a
   * second time. One day at least must stay, since a list is never empty.
   */
  forget(project: string, days: readonly string[]): Promise<void>;
}

const item = v.object({ days: v.set(v.string()) });

/** Pairs this process has already added: a day is written once per process, not once per trace. */
const cacheSize = 10_000;

export const traceDays = ({ client, table }: Database): TraceDays => {
  const added = new Set<string>();
  return {
    add: async (project, day) => {
      const pair = `${project}#${day}`;
      if (added.has(pair)) return;
      await client.send(
        new UpdateCommand({
          TableName: table("rows"),
          Key: daysKey(project),
          UpdateExpression: "ADD days :day",
          ExpressionAttributeValues: { ":day": new Set([day]) },
        }),
      );
      if (added.size >= cacheSize) added.clear();
      added.add(pair);
    },
    list: async (project, strongly) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: table("rows"), Key: daysKey(project), ConsistentRead: strongly }),
      );
      return Item === undefined ? [] : [...v.parse(item, Item).days].toSorted().toReversed();
    },
    forget: async (project, days) => {
      await client.send(
        new UpdateCommand({
          TableName: table("rows"),
          Key: daysKey(project),
          UpdateExpression: "DELETE days :days",
          ExpressionAttributeValues: { ":days": new Set(days) },
        }),
      );
    },
  };
};
