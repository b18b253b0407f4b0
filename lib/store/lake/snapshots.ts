import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { type Erase, erasePartition } from "../../dynamo/erase-items.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { snapshotPartition } from "./keys.ts";
import { lakeFile, type LakeFile } from "./lake-file.ts";

const item = v.object({ sk: v.string(), readAt: v.number(), files: v.array(lakeFile) });

/** Files of a day as it was at an instant, for an export of a day that is open or whose files are being written. */
export interface DaySnapshot {
  readonly day: string;
  /** When the reading of the day began, epoch milliseconds. */
  readonly readAt: number;
  readonly files: readonly LakeFile[];
}

/** Milliseconds for which a snapshot is kept: a link to it lives for a quarter. */
export const snapshotMilliseconds = 3_600_000;

/** Forgets the snapshots of a project's days, whose files then go. They are not counted, as each export makes new ones. */
export const eraseSnapshots = (database: Database): Erase =>
  async function* (project) {
    for await (const _ of erasePartition(database, "aggregates", snapshotPartition(project))) yield 0;
  };

/** Store of the newest snapshot of each day. */
export const lakeSnapshots = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  return {
    /** Lists the snapshots of a project's days that are kept. @param first first day. @param last last day. */
    list: async (project: string, first: string, last: string): Promise<readonly DaySnapshot[]> =>
      (await aggregates.list({ pk: snapshotPartition(project), between: [first, last], strongly: false }))
        .map((value) => {
          const { sk: day, readAt, files } = v.parse(item, value);
          return { day, readAt, files };
        })
        .filter(({ readAt }) => readAt > now() - snapshotMilliseconds),

    put: async (project: string, { day, ...fields }: DaySnapshot): Promise<void> => {
      const ttl = Math.ceil((now() + snapshotMilliseconds) / 1000);
      await aggregates.put({ pk: snapshotPartition(project), sk: day, ...fields, ttl });
    },
  };
};
