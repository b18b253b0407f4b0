import type { Instant } from "../../../domain/instant.ts";
import { instantBytes } from "../../../dynamo/bytes/instant.ts";
import type { Database } from "../../../dynamo/database.ts";
import { rawQuery } from "../../../dynamo/raw-query.ts";
import { traceDays } from "../days.ts";
import { rowPartition } from "../keys.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { packedTraceOf } from "../row-scan.ts";

/** Consecutive rows of one day. */
export interface RowsOfDay {
  readonly day: string;
  readonly rows: readonly PackedTrace[];
}

/** Upper bound of the sort keys of all rows, which begin with eight bytes of an instant. */
const end = Buffer.alloc(8, 0xff);

/**
 * Returns a function that yields the rows of a project that start in a range, oldest first, in pages, beginning after a
 * given row.
 */
export const rowsInOrder = (database: Database, now: () => number = Date.now) => {
  const days = traceDays(database);

  /**
   * @param place row after which the iteration begins; null to begin with the first row.
   * @param pageSize maximum rows per page.
   */
  return async function* (
    project: string,
    { from, to }: { readonly from: Instant; readonly to: Instant },
    place: { readonly day: string; readonly key: Buffer } | null,
    pageSize: number,
  ): AsyncGenerator<RowsOfDay> {
    const listedDays = (await days.list(project, true, { from, to })).toSorted();
    for (const day of listedDays.filter((each) => place === null || each >= place.day)) {
      const pk = rowPartition(project, day);
      let next: Record<string, unknown> | undefined = place?.day === day ? { pk, sk: place.key } : undefined;
      do {
        const page = await rawQuery(database, {
          TableName: database.table("rows"),
          KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
          ExpressionAttributeValues: {
            ":pk": pk,
            ":from": instantBytes(day === from.slice(0, 10) ? from : `${day}T00:00:00+00:00`),
            // A row's sort key is longer than an instant, so BETWEEN excludes rows that start exactly at `to`.
            ":to": day === to.slice(0, 10) ? instantBytes(to) : end,
          },
          ConsistentRead: true,
          ExclusiveStartKey: next,
          Limit: pageSize,
        });
        const at = now();
        yield { day, rows: page.items.flatMap((item) => packedTraceOf(item, at) ?? []) };
        next = page.next;
      } while (next !== undefined);
    }
  };
};
