import { hourNumber, hourStart, hourText, type Hour } from "../../domain/analytics/bucket.ts";
import { dayOf, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { expiryDayOf } from "../../dynamo/expiry.ts";
import { instantBytes } from "../../dynamo/bytes/instant.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { rawQuery, type RawPage } from "../../dynamo/raw-query.ts";
import { packedTraceOf } from "../traces/row-scan.ts";
import { rowPartition, withPartition } from "../traces/keys.ts";

/** A packed row of a trace and its expiry day. */
export interface HourRow {
  readonly trace: PackedTrace;
  /** UTC day on which the row expires, with the number of the row's partition: see `HourKey`. */
  readonly expiry: string;
  /** The packed row in base64; differs for each state of the trace. */
  readonly packed: string;
}

/** Upper bound of sort keys, which begin with the eight bytes of an instant. */
const maxStart = Buffer.alloc(8, 0xff);

/** Time before every expiry: expired rows are read too. */
const beforeAllExpiry = 0;

/** Reads the rows that one partition has of an hour or of a part of an hour, by start. Expired rows can be included. */
export const hourRows = (database: Database) => {
  const between = async function* (
    project: string,
    partition: number,
    from: Instant,
    to: Instant | null,
    ConsistentRead: boolean,
  ): AsyncGenerator<HourRow> {
    let next: RawPage["next"];
    do {
      const page = await rawQuery(database, {
        TableName: database.table("rows"),
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":pk": rowPartition(project, dayOf(from), partition),
          ":from": instantBytes(from),
          // A sort key is longer than its instant, so a row that starts at `to` is excluded.
          ":to": to === null ? maxStart : instantBytes(to),
        },
        ConsistentRead,
        ExclusiveStartKey: next,
      });
      for (const item of page.items) {
        const trace = packedTraceOf(item, beforeAllExpiry);
        const ttl = item["ttl"]?.N;
        if (trace === null) continue;
        const expiry = withPartition(expiryDayOf(ttl === undefined ? undefined : Number(ttl)), partition);
        yield { trace, expiry, packed: item["d"]?.B ?? "" };
      }
      next = page.next;
    } while (next !== undefined);
  };

  return {
    /** Yields the rows that start from one instant (inclusive) to another (exclusive) of the same hour. */
    between: (project: string, partition: number, from: Instant, to: Instant): AsyncGenerator<HourRow> =>
      between(project, partition, from, to, false),
    ofHour: (project: string, partition: number, hour: Hour, strongly: boolean): AsyncGenerator<HourRow> => {
      const next = hour.endsWith("T23") ? null : hourStart(hourText(hourNumber(hour) + 1));
      return between(project, partition, hourStart(hour), next, strongly);
    },
  };
};
