import { DeleteCommand, GetCommand, paginateQuery, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Monitor, MonitorStatus } from "../../domain/monitors/monitor.ts";
import type { Page } from "../../domain/page.ts";
import { pageOf } from "../../domain/page.ts";
import { again, attempts, contended, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import { unlessRefused } from "../failure.ts";
import * as patience from "../patience.ts";
import { packMonitor, unpackMonitor, type StoredMonitor } from "./codec.ts";
import { monitorKey, monitorListPartition } from "./keys.ts";
import { dueFields, lookAfter } from "./look.ts";

export interface Monitors {
  /** Stores a new monitor. @returns the one that is there when the request is a repetition. */
  create(monitor: Monitor): Promise<StoredMonitor>;
  /** A monitor as it is now, strongly read; null when there is none. */
  get(project: string, id: string): Promise<StoredMonitor | null>;
  /** How many monitors a project has, as far as a count up to `most` tells. It may lag by seconds. */
  count(project: string, most: number): Promise<number>;
  /** One page of a project's monitors, newest first. */
  page(project: string, status: MonitorStatus | null, limit: number, offset: number): Promise<Page<Monitor>>;
  /**
   * Changes a monitor; `change` may be asked again when another writer was faster. A change that returns what it was given
   * writes nothing.
   *
   * @returns null when there is none.
   */
  change(project: string, id: string, change: (monitor: Monitor) => Monitor): Promise<StoredMonitor | null>;
  /** Notes that the schedules are of a generation. @returns false when the monitor is of another one by now, or gone. */
  noteScheduled(monitor: Monitor): Promise<boolean>;
  /** @returns false when there was none. */
  delete(project: string, id: string): Promise<boolean>;
}

const changed = (before: StoredMonitor, change: Partial<StoredMonitor>): StoredMonitor => {
  const after = { ...before, ...change, revision: before.revision + 1 };
  return { ...after, look: lookAfter(before, after) };
};

export const monitorStore = ({ client, table }: Database, now: () => number = Date.now): Monitors => {
  const TableName = table("monitors");

  const itemOf = (stored: StoredMonitor) => {
    const { monitor, revision, scheduled } = stored;
    return {
      ...monitorKey(monitor.projectId, monitor.id),
      d: packMonitor(monitor),
      rev: revision,
      scheduled,
      list_key: monitorListPartition(monitor.projectId),
      order_key: `${monitor.createdAt}#${monitor.id}`,
      ...dueFields(stored, now()),
    };
  };

  const get = async (project: string, id: string): Promise<StoredMonitor | null> => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: monitorKey(project, id), ConsistentRead: true }),
    );
    return Item === undefined ? null : unpackMonitor(Item);
  };

  /** @returns false when the condition did not hold. */
  const put = async (stored: StoredMonitor, condition: object): Promise<boolean> => {
    const Item = itemOf(stored);
    const reply = await unlessRefused(client.send(new PutCommand({ TableName, Item, ...condition })));
    return reply !== null;
  };

  const unchanged = (revision: number) => ({
    ConditionExpression: "rev = :rev",
    ExpressionAttributeValues: { ":rev": revision },
  });

  return {
    get,

    create: async (monitor) => {
      const fresh = { monitor, revision: 1, scheduled: 0, look: null };
      if (await put(fresh, { ConditionExpression: "attribute_not_exists(pk)" })) return fresh;
      return (await get(monitor.projectId, monitor.id)) ?? fresh;
    },

    count: async (project, most) => {
      const { Count = 0 } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: "by-created",
          KeyConditionExpression: "list_key = :list",
          ExpressionAttributeValues: { ":list": monitorListPartition(project) },
          Select: "COUNT",
          Limit: most,
        }),
      );
      return Count;
    },

    page: async (project, status, limit, offset) => {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          IndexName: "by-created",
          KeyConditionExpression: "list_key = :list",
          ExpressionAttributeValues: { ":list": monitorListPartition(project) },
          ScanIndexForward: false,
        },
      );
      const matching = async function* (): AsyncGenerator<Monitor> {
        for await (const { Items } of pages) {
          for (const item of Items ?? []) {
            const { monitor } = unpackMonitor(item);
            if (status === null || monitor.status === status) yield monitor;
          }
        }
      };
      return pageOf(matching(), limit, offset);
    },

    change: (project, id, change) => {
      const busy = unavailable("The monitor is being changed by many requests. Try again.");
      return attempts(patience.request, busy, async () => {
        const before = await get(project, id);
        if (before === null) return null;
        const monitor = change(before.monitor);
        if (monitor === before.monitor) return before;
        const after = changed(before, { monitor });
        return (await put(after, unchanged(before.revision))) ? after : again;
      });
    },

    noteScheduled: ({ projectId, id, generation }) =>
      attempts(patience.request, contended("A monitor moved at every attempt to note its schedules."), async () => {
        const before = await get(projectId, id);
        if (before?.monitor.generation !== generation) return false;
        if (before.scheduled === generation) return true;
        const after = changed(before, { scheduled: generation });
        return (await put(after, unchanged(before.revision))) || again;
      }),

    delete: async (project, id) => {
      const { Attributes } = await client.send(
        new DeleteCommand({ TableName, Key: monitorKey(project, id), ReturnValues: "ALL_OLD" }),
      );
      return Attributes !== undefined;
    },
  };
};
