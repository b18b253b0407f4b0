import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { itemKey, projectTables, type ItemKey, type ProjectTable } from "./table-scan.ts";

/** Progress of a scan in one segment of a table. */
export interface SegmentPosition {
  /** Key after which the scan continues; undefined at the segment's beginning. */
  readonly from: ItemKey | undefined;
  readonly done: boolean;
  /** Number of pages read. */
  readonly pages: number;
}

/** A scan of all project tables that is in progress. */
export interface RunningScan {
  /** Start of the scan, epoch milliseconds. */
  readonly begunAt: number;
  readonly table: ProjectTable;
  /** Progress in the table, by segment. */
  readonly places: readonly SegmentPosition[];
}

/** Number of pages of each table, counted by its last scan. */
export type TableSizes = Readonly<Record<string, number>>;

/** Progress of the scan of all project tables. */
export interface ScanProgress {
  readonly running: RunningScan | null;
  /** Start of the last completed scan, epoch milliseconds; null if none was completed. */
  readonly last: number | null;
  readonly sizes: TableSizes;
}

/** Store of the progress of the table scan that finds data of deleted projects. */
export interface ScanProgressStore {
  read(): Promise<ScanProgress>;
  /**
   * Leases the scan to one worker for three minutes.
   *
   * @returns its progress; null when another worker holds the lease.
   */
  claim(): Promise<ScanProgress | null>;
  /** Stores the progress and releases the lease. */
  release(progress: ScanProgress): Promise<void>;
}

const leaseMilliseconds = 180_000;

const key = { pk: "storage-scan", sk: "progress" };

const place = v.object({ from: v.optional(itemKey), done: v.boolean(), pages: v.number() });

const progressItem = v.object({
  begun_at: v.optional(v.number()),
  table: v.optional(v.picklist(projectTables)),
  segments: v.optional(v.object({ places: v.array(place) })),
  last: v.optional(v.number()),
  sizes: v.optional(v.record(v.string(), v.number()), {}),
});

/** Stores the progress of the table scan, which serves all deletions. */
export const scanProgress = (database: Database, now: () => number = Date.now): ScanProgressStore => {
  const access = itemsOf(database, "access");

  const read: ScanProgressStore["read"] = async () => {
    const item = await access.get(key);
    if (item === undefined) return { running: null, last: null, sizes: {} };
    const { begun_at: begunAt, table: name, segments, last = null, sizes } = v.parse(progressItem, item);
    if (begunAt === undefined || name === undefined || segments === undefined) return { running: null, last, sizes };
    const places = segments.places.map(({ done, pages, from }): SegmentPosition => ({ done, pages, from }));
    return { running: { begunAt, table: name, places }, last, sizes };
  };

  return {
    read,

    claim: async () => {
      const at = now();
      const isClaimed = await succeeds(
        access.update(key, "SET lease = :until", {
          when: "attribute_not_exists(lease) OR lease <= :now",
          values: { ":until": at + leaseMilliseconds, ":now": at },
        }),
      );
      return isClaimed ? await read() : null;
    },

    release: async ({ running, last, sizes }) => {
      const fields = Object.entries({
        begun_at: running?.begunAt,
        table: running?.table,
        segments:
          running === null ? undefined : { begun_at: running.begunAt, table: running.table, places: running.places },
        last: last ?? undefined,
        sizes,
      });
      const presentFields = fields.filter(([, value]) => value !== undefined);
      const sets = presentFields.map(([name]) => `#${name} = :${name}`);
      const absentNames = fields.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
      await access.update(key, `SET ${sets.join(", ")} REMOVE ${["lease", ...absentNames].join(", ")}`, {
        values: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      });
    },
  };
};
