import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/dynamo/database.ts";
import type { rowKey } from "../../../lib/store/traces/keys.ts";

/** Deletes a row as time to live does. */
export const deleteRow = async ({ client, table }: Database, Key: ReturnType<typeof rowKey>): Promise<void> => {
  await client.send(new DeleteCommand({ TableName: table("rows"), Key }));
};
