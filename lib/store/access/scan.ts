import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import type { Item } from "./items.ts";

/** A page of a scan of the table `access`. */
export interface AccessPage {
  readonly items: readonly Item[];
  /** Key after which the next page starts, as JSON; null at the end of the table. */
  readonly next: string | null;
}

const key = v.object({ pk: v.string(), sk: v.string() });

/** Returns a function that reads the table `access` page by page, eventually consistent. @param size items per page. */
export const accessScan =
  ({ client, table }: Database, size: number) =>
  async (from: string | null): Promise<AccessPage> => {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: table("access"),
        Limit: size,
        ExclusiveStartKey: from === null ? undefined : v.parse(key, JSON.parse(from)),
      }),
    );
    return {
      items: Items,
      next: LastEvaluatedKey === undefined ? null : JSON.stringify(v.parse(key, LastEvaluatedKey)),
    };
  };
