import { GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import type { StoredMonitor } from "./codec.ts";
import { duePartition, monitorKey } from "./keys.ts";
import { nextLook } from "./look.ts";

/** A monitor at which the sweeper has to look. */
interface DueMonitor {
  readonly project: string;
  readonly monitor: string;
  /** Since when. */
  readonly at: Instant;
}

export interface DueMonitors {
  /** Monitors that should have fired minutes ago, or whose schedules were not made: whose turn is longest past first. */
  list(now: number): AsyncIterable<DueMonitor>;
  /** Notes a look at a monitor before it is taken, whatever is wrong with the monitor. @returns false when it has gone on meanwhile. */
  touch(due: DueMonitor): Promise<boolean>;
  /** Puts a monitor that was touched behind all that were. */
  postpone(stored: StoredMonitor): Promise<void>;
}

const listed = v.object({ pk: v.string(), due_at: v.string() });
const looked = v.object({ looks: v.optional(v.number(), 0), late_at: v.optional(v.string()) });

export const dueMonitors = ({ client, table }: Database, now: () => number = Date.now): DueMonitors => {
  const TableName = table("monitors");

  /** @param more looks. @returns false when it is not due at that instant any more. */
  const look = async (project: string, monitor: string, due: Instant, more: number): Promise<boolean> => {
    const Key = monitorKey(project, monitor);
    const ProjectionExpression = "looks, late_at";
    const { Item } = await client.send(new GetCommand({ TableName, Key, ProjectionExpression, ConsistentRead: true }));
    if (Item === undefined) return false;
    const { looks, late_at: late } = v.parse(looked, Item);
    const update = new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET due_at = :next, looks = :looks",
      ConditionExpression: "due_at = :due",
      ExpressionAttributeValues: {
        ":due": due,
        ":next": nextLook(looks + more, late, now()),
        ":looks": looks + more,
      },
    });
    return (await ifConditionHolds(client.send(update))) !== null;
  };

  return {
    list: async function* (at) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          IndexName: "due",
          KeyConditionExpression: "due_key = :due AND due_at <= :at",
          ExpressionAttributeValues: { ":due": duePartition, ":at": instantAt(at) },
        },
      );
      for await (const { Items } of pages) {
        for (const item of Items ?? []) {
          const { pk, due_at } = v.parse(listed, item);
          const [project = "", , monitor = ""] = pk.split("#");
          yield { project, monitor, at: due_at };
        }
      }
    },

    touch: ({ project, monitor, at }) => look(project, monitor, at, 1),

    postpone: async ({ monitor: { projectId, id }, look: taken }) => {
      if (taken !== null) await look(projectId, id, taken.next, 0);
    },
  };
};
