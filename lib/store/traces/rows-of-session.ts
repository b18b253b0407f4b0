import type { Database } from "../database.ts";
import { instantBytes } from "../bytes/instant.ts";
import { uuidBytes } from "../bytes/text.ts";
import type { PackedTrace } from "./packed-trace.ts";
import { rawQuery, type RawItem, type RawPage } from "../raw-query.ts";
import { packedTraceOf, type StartRange } from "./row-scan.ts";
import { sessionPartition } from "./keys.ts";

/** Bounds of every sort key of a row. */
const lowest = Buffer.alloc(8);
const highest = Buffer.alloc(8, 0xff);

const isOf = (project: string, { pk }: RawItem): boolean =>
  pk?.B !== undefined && Buffer.from(pk.B, "base64").subarray(0, 16).equals(uuidBytes(project));

/**
 * Reads the rows of a session that start in a range, by start and id, as their index has them: it lags behind the table
 * by moments. Sessions are told apart by a hash there; what is another's is left out.
 */
export const sessionIndex =
  (database: Database, now: () => number = Date.now) =>
  async (
    project: string,
    session: string,
    { from, to }: StartRange,
    see: (trace: PackedTrace) => void,
  ): Promise<void> => {
    // DynamoDB refuses a range whose ends are in the wrong order.
    if (from !== null && to !== null && from >= to) return;
    let next: RawPage["next"];
    do {
      const page = await rawQuery(database, {
        TableName: database.table("rows"),
        IndexName: "by-session",
        KeyConditionExpression: "s = :s AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":s": sessionPartition(project, session),
          ":from": from === null ? lowest : instantBytes(from),
          // A row's sort key is longer than its instant: one that starts at `to` is beyond.
          ":to": to === null ? highest : instantBytes(to),
        },
        ProjectionExpression: "pk, sk, d, #ttl",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExclusiveStartKey: next,
      });
      for (const item of page.items.filter((each) => isOf(project, each))) {
        const trace = packedTraceOf(item, now());
        if (trace?.sessionId === session) see(trace);
      }
      next = page.next;
    } while (next !== undefined);
  };
