import { randomBytes } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { dayOfPartition, rowKeyLengths } from "../traces/keys.ts";

const key = v.object({ pk: v.instance(Uint8Array) });

/** Max items scanned to find a row: tombstones and day lists lie between rows. */
const maxScanned = 50;

/** Returns a random project and UTC day with traces, weighted by the number of traces; null when no row was found. */
export const randomDay = async ({
  client,
  table,
}: Database): Promise<{ readonly project: string; readonly day: string } | null> => {
  const start = { pk: randomBytes(rowKeyLengths.pk), sk: randomBytes(rowKeyLengths.sk) };
  // At the end of the table the scan continues from its beginning.
  for (const ExclusiveStartKey of [start, undefined]) {
    const { Items = [] } = await client.send(
      new ScanCommand({ TableName: table("rows"), Limit: maxScanned, ProjectionExpression: "pk", ExclusiveStartKey }),
    );
    const row = Items.map((item) => v.parse(key, item).pk).find((pk) => pk.length === rowKeyLengths.pk);
    if (row !== undefined) return dayOfPartition(Buffer.from(row));
  }
  return null;
};
