import { randomBytes } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { dayOfPartition, rowKeyLengths } from "../traces/keys.ts";

const key = v.object({ pk: v.instance(Uint8Array) });

/** Items looked through for a row: fences and lists of days lie between them. */
const nearby = 50;

/** A project and UTC day that has traces, one with more of them more often; null where none was found. */
export const randomDay = async ({
  client,
  table,
}: Database): Promise<{ readonly project: string; readonly day: string } | null> => {
  const place = { pk: randomBytes(rowKeyLengths.pk), sk: randomBytes(rowKeyLengths.sk) };
  // Behind the last place of the table is its beginning.
  for (const ExclusiveStartKey of [place, undefined]) {
    const { Items = [] } = await client.send(
      new ScanCommand({ TableName: table("rows"), Limit: nearby, ProjectionExpression: "pk", ExclusiveStartKey }),
    );
    const row = Items.map((item) => v.parse(key, item).pk).find((pk) => pk.length === rowKeyLengths.pk);
    if (row !== undefined) return dayOfPartition(Buffer.from(row));
  }
  return null;
};
