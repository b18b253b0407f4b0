import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { tableNames, tableVariable } from "../../../lib/dynamo/table.ts";
import type { RunningService } from "./service.ts";

/** Location of a running service's database; serializable, to be passed to other processes. */
export interface Storage {
  readonly url: string;
  /** Physical table names by logical name. */
  readonly tables: Readonly<Record<string, string>>;
}

/** Location of a running service's database. */
export const storageOf = ({ stack }: RunningService): Storage => ({
  url: stack.endpoints.DYNAMODB,
  tables: Object.fromEntries(
    tableNames.flatMap((table) =>
      stack.environments.flatMap((environment) => {
        const name = environment[tableVariable(table)];
        return name === undefined ? [] : [[table, name]];
      }),
    ),
  ),
});

/** Connects to a running service's database. */
export const databaseAt = ({ url, tables }: Storage): Database => ({
  client: DynamoDBDocumentClient.from(new DynamoDBClient(localClient(url))),
  table: (table) => {
    const name = tables[table];
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  },
});

/** The database of a running service, for setup that no route supports. */
export const databaseOf = (service: RunningService): Database => databaseAt(storageOf(service));
