import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { Database } from "../../../lib/dynamo/database.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";

interface RowItem {
  readonly pk: Uint8Array;
  readonly sk: Uint8Array;
  readonly d?: Uint8Array;
  readonly ttl?: number;
}

type Rows = ReadonlyMap<string, RowItem>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const rowsOf = async ({ client, table }: Database, project: string): Promise<Rows> => {
  const rows = new Map<string, RowItem>();
  const days = await traceDays({ client, table }).list(project, true);
  for (const partition of days.flatMap(({ partitions }) => partitions)) {
    const pages = paginateQuery(
      { client },
      {
        TableName: table("rows"),
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": partition },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const row = item as unknown as RowItem;
        rows.set(base64(row.pk) + base64(row.sk), row);
      }
    }
  }
  return rows;
};

const image = ({ d, ttl }: RowItem) => ({
  ...(d === undefined ? {} : { d: { B: base64(d) } }),
  ...(ttl === undefined ? {} : { ttl: { N: String(ttl) } }),
});

/** Simulates the stream of a project's rows: each call returns the records of the changes since the previous call. */
export const rowStream = (database: Database, project: string) => {
  let before: Rows = new Map();
  let sequence = 0;
  return {
    records: async (): Promise<readonly DynamoDBRecord[]> => {
      const after = await rowsOf(database, project);
      const keys = new Set([...before.keys(), ...after.keys()]);
      const records = [...keys].flatMap((key): readonly DynamoDBRecord[] => {
        const [old, fresh] = [before.get(key), after.get(key)];
        const row = fresh ?? old;
        const same = JSON.stringify(old && image(old)) === JSON.stringify(fresh && image(fresh));
        if (row === undefined || same) return [];
        sequence += 1;
        return [
          {
            dynamodb: {
              Keys: { pk: { B: base64(row.pk) }, sk: { B: base64(row.sk) } },
              ...(old === undefined ? {} : { OldImage: image(old) }),
              ...(fresh === undefined ? {} : { NewImage: image(fresh) }),
              SequenceNumber: String(sequence),
            },
          },
        ];
      });
      before = after;
      return records;
    },
  };
};
