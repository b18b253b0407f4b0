import { hourNumber, hourStart, hourText, type Hour } from "../../domain/analytics/bucket.ts";
import { dayOf, type Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { expiryOf } from "../expiry.ts";
import { instantBytes } from "../bytes/instant.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { rawQuery, type RawPage } from "../raw-query.ts";
import { packedTraceOf } from "../traces/row-scan.ts";
import { rowPartition } from "../traces/keys.ts";

/** A row and when it expires. */
export interface HourRow {
  readonly trace: PackedTrace;
  /** See `HourKey`. */
  readonly expiry: string;
  /** The packed row, in base64: another one for another state of the trace. */
  readonly packed: string;
}

/** Sort keys begin with eight bytes of an instant; none is as high as these. */
const end = Buffer.alloc(8, 0xff);

/** Rows are read whatever their expiry. */
const beforeAllExpiry = 0;

/** Reads the rows of an hour or of a part of it, by start. Rows that have expired may be among them. */
export const hourRows = (database: Database) => {
  const between = async function* (
    project: string,
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
          ":pk": rowPartition(project, dayOf(from)),
          ":from": instantBytes(from),
          // A row's sort key is longer than its instant: one that starts at `to` is beyond.
          ":to": to === null ? end : instantBytes(to),
        },
        ConsistentRead,
        ExclusiveStartKey: next,
      });
      for (const item of page.items) {
        const trace = packedTraceOf(item, beforeAllExpiry);
        const ttl = item["ttl"]?.N;
        if (trace === null) continue;
        const expiry = expiryOf(ttl === undefined ? undefined : Number(ttl));
        yield { trace, expiry, packed: item["d"]?.B ?? "" };
      }
      next = page.next;
    } while (next !== undefined);
  };

  return {
    /** From an instant on and before another that is not beyond its hour. */
    between: (project: string, from: Instant, to: Instant): AsyncGenerator<HourRow> =>
      between(project, from, to, false),
    ofHour: (project: string, hour: Hour, strongly: boolean): AsyncGenerator<HourRow> => {
      const next = hour.endsWith("T23") ? null : hourStart(hourText(hourNumber(hour) + 1));
      return between(project, hourStart(hour), next, strongly);
    },
  };
};
