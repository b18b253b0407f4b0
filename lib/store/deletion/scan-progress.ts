import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { holds } from "../failure.ts";
import { itemKey, projectTables, type ItemKey, type ProjectTable } from "./table-scan.ts";

/** A scan of the tables that has begun. */
export interface RunningScan {
  /** Epoch milliseconds. */
  readonly begunAt: number;
  readonly table: ProjectTable;
  /** The key it has come to; undefined at the table's beginning. */
  readonly from: ItemKey | undefined;
}

/** How far the scan of all tables has come. */
export interface ScanProgress {
  readonly running: RunningScan | null;
  /** When the last one that came to its end began, epoch milliseconds; null when there was none. */
  readonly last: number | null;
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

const stored = v.object({
  begun_at: v.optional(v.number()),
  table: v.optional(v.picklist(projectTables)),
  from: v.optional(itemKey),
  last: v.optional(v.number()),
});

/** The progress of the one scan that goes through all tables, whoever asked for it. */
export const scanProgress = ({ client, table }: Database, now: () => number = Date.now): ScanProgressStore => {
  const TableName = table("access");

  const read: ScanProgressStore["read"] = async () => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    if (Item === undefined) return { running: null, last: null };
    const { begun_at: begunAt, table: name, from, last = null } = v.parse(stored, Item);
    return { running: begunAt === undefined || name === undefined ? null : { begunAt, table: name, from }, last };
  };

  return {
    read,

    claim: async () => {
      const at = now();
      const claimed = await holds(
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

    leave: async ({ running, last }) => {
      const fields = Object.entries({
        begun_at: running?.begunAt,
        table: running?.table,
        from: running?.from,
        last: last ?? undefined,
      });
      const known = fields.filter(([, value]) => value !== undefined);
      const sets = known.map(([name]) => `#${name} = :${name}`);
      const gone = fields.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
      await client.send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: `${sets.length > 0 ? `SET ${sets.join(", ")} ` : ""}REMOVE ${["lease", ...gone].join(", ")}`,
          ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
          ExpressionAttributeValues: Object.fromEntries(known.map(([name, value]) => [`:${name}`, value])),
        }),
      );
    },
  };
};
