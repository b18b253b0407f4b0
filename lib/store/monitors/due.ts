import { GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { unlessRefused } from "../failure.ts";
import type { StoredMonitor } from "./codec.ts";
import { duePartition, monitorKey } from "./keys.ts";

/** How long a monitor is left alone that was looked at and has not changed since; each look more doubles it. */
const firstPause = 2 * 60_000;
const longestPause = 6 * 3_600_000;

/** A monitor at which the sweeper has to look. */
export interface DueMonitor {
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

const pauseAfter = (looks: number): number => Math.min(longestPause, firstPause * 2 ** (looks - 1));

const listed = v.object({ pk: v.string(), due_at: v.string() });
const looked = v.object({ looks: v.optional(v.number(), 0) });

export const dueMonitors = ({ client, table }: Database, now: () => number = Date.now): DueMonitors => {
  const TableName = table("monitors");

  /** @returns false when it is not due at that instant any more. */
  const move = async (project: string, monitor: string, from: Instant, looks: number): Promise<boolean> => {
    const update = new UpdateCommand({
      TableName,
      Key: monitorKey(project, monitor),
      UpdateExpression: "SET due_at = :next, looks = :looks",
      ConditionExpression: "due_at = :from",
      ExpressionAttributeValues: { ":from": from, ":next": instantAt(now() + pauseAfter(looks)), ":looks": looks },
    });
    return (await unlessRefused(client.send(update))) !== null;
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

    touch: async ({ project, monitor, at }) => {
      const Key = monitorKey(project, monitor);
      const read = new GetCommand({ TableName, Key, ProjectionExpression: "looks", ConsistentRead: true });
      const { Item } = await client.send(read);
      if (Item === undefined) return false;
      return await move(project, monitor, at, v.parse(looked, Item).looks + 1);
    },

    postpone: async ({ monitor: { projectId, id }, look }) => {
      if (look !== null) await move(projectId, id, look.next, look.count);
    },
  };
};
