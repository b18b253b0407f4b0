import type { Instant } from "../../../domain/instant.ts";
import { instantBytes } from "../../bytes/instant.ts";
import type { Database } from "../../database.ts";
import { rawQuery } from "../../raw-query.ts";
import { traceDays } from "../days.ts";
import { rowPartition } from "../keys.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { packedTraceOf } from "../row-scan.ts";

/** Some rows of one day, in their order. */
export interface RowsOfDay {
  readonly day: string;
  readonly rows: readonly PackedTrace[];
}

/** Sort keys begin with eight bytes of an instant; none is as high as these. */
const end = Buffer.alloc(8, 0xff);

/** Goes through the rows that start in a range, oldest first, some at a time, from behind a place. */
export const rowsInOrder = (database: Database, now: () => number = Date.now) => {
  const days = traceDays(database);

  /** @param most rows at a time. */
  return async function* (
    project: string,
    { from, to }: { readonly from: Instant; readonly to: Instant },
    place: { readonly day: string; readonly key: Buffer } | null,
    most: number,
  ): AsyncGenerator<RowsOfDay> {
    const inUse = (await days.list(project, true, { from, to })).toSorted();
    for (const day of inUse.filter((each) => place === null || each >= place.day)) {
      const pk = rowPartition(project, day);
      let next: Record<string, unknown> | undefined = place?.day === day ? { pk, sk: place.key } : undefined;
      do {
        const page = await rawQuery(database, {
          TableName: database.table("rows"),
          KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
          ExpressionAttributeValues: {
            ":pk": pk,
            ":from": instantBytes(day === from.slice(0, 10) ? from : `${day}T00:00:00+00:00`),
            // A row's sort key is longer than its instant: one that starts at `to` is beyond.
            ":to": day === to.slice(0, 10) ? instantBytes(to) : end,
          },
          ConsistentRead: true,
          ExclusiveStartKey: next,
          Limit: most,
        });
        const at = now();
        yield { day, rows: page.items.flatMap((item) => packedTraceOf(item, at) ?? []) };
        next = page.next;
      } while (next !== undefined);
    }
  };
};
