import type { Instant } from "../../../domain/instant.ts";
import { instantBytes } from "../../../dynamo/bytes/instant.ts";
import type { Database } from "../../../dynamo/database.ts";
import { rawQuery } from "../../../dynamo/raw-query.ts";
import { traceDays, type TraceDay } from "../days.ts";
import { mergedRows } from "../merged-rows.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { packedTraceOf } from "../row-scan.ts";

/** Upper bound of the sort keys of all rows, which begin with eight bytes of an instant. */
const end = Buffer.alloc(8, 0xff);

/** Range of the starts of traces; `to` is exclusive. */
interface StartRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** Reader of the rows of a project that start in a range, day by day. */
export const rowsByDay = (database: Database, now: () => number = Date.now) => {
  const days = traceDays(database);

  return {
    /** Returns the days with traces in a range, oldest first. */
    days: async (project: string, { from, to }: StartRange): Promise<readonly TraceDay[]> =>
      (await days.list(project, true, { from, to })).toReversed(),

    /**
     * Yields the rows of one day that start in a range, oldest first, in pages that are not empty.
     *
     * @param key sort key of the row after which the iteration begins; null to begin with the first row.
     * @param pageSize maximum rows per page.
     */
    rowsOf: async function* (
      { from, to }: StartRange,
      { day, partitions }: TraceDay,
      key: Uint8Array | null,
      pageSize: number,
    ): AsyncGenerator<readonly PackedTrace[]> {
      const readers = partitions.map((pk) => {
        let next: Record<string, unknown> | undefined = key === null ? undefined : { pk, sk: key };
        return async () => {
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
            Limit: Math.ceil(pageSize / partitions.length),
          });
          const at = now();
          next = page.next;
          return { rows: page.items.flatMap((item) => packedTraceOf(item, at) ?? []), isLast: next === undefined };
        };
      });
      yield* mergedRows(readers, "asc", Number.MAX_SAFE_INTEGER);
    },
  };
};
