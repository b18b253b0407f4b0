import { randomUUID } from "node:crypto";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Marks } from "../../domain/monitors/watermark.ts";
import type { Database } from "../database.ts";
import { marksKey } from "./keys.ts";

/** Seconds for which marks are kept: longer than a month's cadence. Without them a minute's changes count once more. */
const kept = 40 * 86_400;

/** What snapshots saw shortly before or while they were taken. */
export interface SnapshotMarks {
  /** Stores marks before anything names them. @returns their name; undefined when there are none. */
  put(project: string, monitor: string, marks: Marks): Promise<string | undefined>;
  /** Marks, strongly read; null when they are kept no more, or there are none. */
  get(project: string, monitor: string, name: string | undefined): Promise<Marks | null>;
}

const item = v.object({ marks: v.instance(Uint8Array) });

export const snapshotMarks = ({ client, table }: Database, now: () => number = Date.now): SnapshotMarks => {
  const TableName = table("monitors");
  return {
    put: async (project, monitor, marks) => {
      if (marks.length === 0) return undefined;
      const name = randomUUID();
      const Item = { ...marksKey(project, monitor, name), marks, ttl: Math.ceil(now() / 1000) + kept };
      await client.send(new PutCommand({ TableName, Item }));
      return name;
    },

    get: async (project, monitor, name) => {
      if (name === undefined) return null;
      const Key = marksKey(project, monitor, name);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item === undefined ? null : v.parse(item, Item).marks;
    },
  };
};
