import {
  DeleteCommand,
  GetCommand,
  paginateQuery,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { mostMonitors, type Monitor, type MonitorStatus } from "../../domain/monitors/monitor.ts";
import type { Page } from "../../domain/page.ts";
import { type PageAt, pageOf } from "../../domain/page.ts";
import { Refusal } from "../../domain/refusal.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import { again, attempts, contended, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import { refusedActions, ifConditionHolds } from "../failure.ts";
import * as patience from "../patience.ts";
import { packMonitor, unpackMonitor, type StoredMonitor } from "./codec.ts";
import { monitorCounts } from "./count.ts";
import { monitorKey, monitorListPartition } from "./keys.ts";
import { dueFields, lookAfter } from "./look.ts";

export interface Monitors {
  /**
   * Stores a new monitor, if the project has room for it.
   *
   * @param most monitors that a project may have.
   * @returns it; the one that is there when the request is a repetition.
   * @throws Refusal `forbidden` when there are as many as there may be; as `repeat.met`.
   */
  create(monitor: Monitor, most?: number, repeat?: Repeat): Promise<StoredMonitor>;
  /** A monitor as it is now, strongly read; null when there is none. */
  get(project: string, id: string): Promise<StoredMonitor | null>;
  /** One page of a project's monitors, newest first. */
  page(project: string, status: MonitorStatus | null, at: PageAt): Promise<Page<Monitor>>;
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

const full = (most: number): Refusal =>
  new Refusal({ kind: "forbidden", detail: `A project has at most ${most} monitors. Delete one first.` });

export const monitorStore = ({ client, table }: Database, now: () => number = Date.now): Monitors => {
  const TableName = table("monitors");

  const counts = monitorCounts({ client, table }, now);

  const send = (TransactItems: NonNullable<TransactWriteCommandInput["TransactItems"]>) =>
    client.send(new TransactWriteCommand({ TransactItems }));

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
    const reply = await ifConditionHolds(client.send(new PutCommand({ TableName, Item, ...condition })));
    return reply !== null;
  };

  const unchanged = (revision: number) => ({
    ConditionExpression: "rev = :rev",
    ExpressionAttributeValues: { ":rev": revision },
  });

  return {
    get,

    create: (made, most = mostMonitors, repeat = unrepeated) => {
      const monitor = repeat.bodyHash === null ? made : { ...made, bodyHash: repeat.bodyHash };
      const fresh = { monitor, revision: 1, scheduled: 0, look: null };
      const Put = { TableName, Item: itemOf(fresh), ConditionExpression: "attribute_not_exists(pk)" };
      const busy = unavailable("The project's monitors are being changed by many requests. Try again.");
      return attempts(patience.request, busy, async () => {
        const { monitors, oneMore } = await counts.look(monitor.projectId, most);
        const isFull = monitors >= most;
        const refused = isFull ? null : await refusedActions(send([{ Put }, { Update: oneMore }]));
        if (refused?.size === 0) return fresh;
        const there = isFull || refused?.has(0) === true ? await get(monitor.projectId, monitor.id) : null;
        if (there !== null) {
          repeat.met(there.monitor.bodyHash ?? null);
          return there;
        }
        if (isFull) throw full(most);
        return again;
      });
    },

    page: async (project, status, at) => {
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
      return pageOf(matching(), at, ({ createdAt, id }) => ({ key: createdAt, id }));
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
      if (Attributes === undefined) return false;
      await counts.oneLess(project);
      return true;
    },
  };
};
