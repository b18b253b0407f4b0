import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import type { Database } from "../../../lib/store/database.ts";
import { tableNames, tableVariable } from "../../../lib/store/table.ts";
import type { RunningService } from "./service.ts";

/** Where a running service keeps its data: plain data, so that it can be handed to other processes. */
export interface Storage {
  readonly url: string;
  /** Physical names. */
  readonly tables: Readonly<Record<string, string>>;
}

/** Where a running service keeps its data. */
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

/** Connects to the data of a running service. */
export const databaseAt = ({ url, tables }: Storage): Database => ({
  client: DynamoDBDocumentClient.from(new DynamoDBClient(localClient(url))),
  table: (table) => {
    const name = tables[table];
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  },
});

/** The database of a running service, for what no route does yet. */
export const databaseOf = (service: RunningService): Database => databaseAt(storageOf(service));
