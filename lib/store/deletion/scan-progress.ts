import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { itemKey, projectTables, type ItemKey, type ProjectTable } from "./table-scan.ts";

/** How far a scan has come in one of the segments of a table. */
export interface SegmentPlace {
  /** The key it has come to; undefined at the segment's beginning. */
  readonly from: ItemKey | undefined;
  readonly done: boolean;
  /** Pages read. */
  readonly pages: number;
}

/** A scan of the tables that has begun. */
export interface RunningScan {
  /** Epoch milliseconds. */
  readonly begunAt: number;
  readonly table: ProjectTable;
  /** Of the table, by segment. */
  readonly places: readonly SegmentPlace[];
}

/** Pages of each table, as the last scan of it has counted them. */
export type TableSizes = Readonly<Record<string, number>>;

/** How far the scan of all tables has come. */
export interface ScanProgress {
  readonly running: RunningScan | null;
  /** When the last one that came to its end began, epoch milliseconds; null when there was none. */
  readonly last: number | null;
  readonly sizes: TableSizes;
}

export interface ScanProgressStore {
  read(): Promise<ScanProgress>;
  /** Lets one worker go on with it for some minutes. @returns how far it is; null when another worker is at it. */
  claim(): Promise<ScanProgress | null>;
  /** Notes how far it has come, and lets others go on. */
  leave(progress: ScanProgress): Promise<void>;
}

const leaseMilliseconds = 180_000;

const Key = { pk: "storage-scan", sk: "progress" };

const place = v.object({ from: v.optional(itemKey), done: v.boolean(), pages: v.number() });

const stored = v.object({
  begun_at: v.optional(v.number()),
  table: v.optional(v.picklist(projectTables)),
  /** How far an earlier version has come in the table, which knows of no segments. */
  from: v.optional(itemKey),
  segments: v.optional(v.object({ begun_at: v.number(), table: v.string(), places: v.array(place) })),
  last: v.optional(v.number()),
  sizes: v.optional(v.record(v.string(), v.number()), {}),
});

/** The progress of the one scan that goes through all tables, whoever asked for it. */
export const scanProgress = ({ client, table }: Database, now: () => number = Date.now): ScanProgressStore => {
  const TableName = table("access");

  const read: ScanProgressStore["read"] = async () => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    if (Item === undefined) return { running: null, last: null, sizes: {} };
    const { begun_at: begunAt, table: name, from, segments, last = null, sizes } = v.parse(stored, Item);
    if (begunAt === undefined || name === undefined) return { running: null, last, sizes };
    // An earlier version leaves segments as they are when it goes on.
    const areOfNow = segments?.begun_at === begunAt && segments.table === name && from === undefined;
    const places = areOfNow
      ? segments.places.map(({ done, pages, from: key }): SegmentPlace => ({ done, pages, from: key }))
      : [{ from, done: false, pages: 0 }];
    return { running: { begunAt, table: name, places }, last, sizes };
  };

  return {
    read,

    claim: async () => {
      const at = now();
      const claimed = await succeeds(
        client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: "SET lease = :until",
            ConditionExpression: "attribute_not_exists(lease) OR lease <= :now",
            ExpressionAttributeValues: { ":until": at + leaseMilliseconds, ":now": at },
          }),
        ),
      );
      return claimed ? await read() : null;
    },

    leave: async ({ running, last, sizes }) => {
      const fields = Object.entries({
        begun_at: running?.begunAt,
        table: running?.table,
        segments:
          running === null ? undefined : { begun_at: running.begunAt, table: running.table, places: running.places },
        last: last ?? undefined,
        sizes,
      });
      const known = fields.filter(([, value]) => value !== undefined);
      const sets = known.map(([name]) => `#${name} = :${name}`);
      const gone = fields.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
      await client.send(
        new UpdateCommand({
          TableName,
          Key,
          // An earlier version, which knows of no segments, begins the table anew.
          UpdateExpression: `SET ${sets.join(", ")} REMOVE ${["lease", "#from", ...gone].join(", ")}`,
          ExpressionAttributeNames: Object.fromEntries(
            ["from", ...fields.map(([name]) => name)].map((name) => [`#${name}`, name]),
          ),
          ExpressionAttributeValues: Object.fromEntries(known.map(([name, value]) => [`:${name}`, value])),
        }),
      );
    },
  };
};
