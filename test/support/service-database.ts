import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { localClient } from "../../infra/local/host/aws-client.ts";
import type { Database } from "../../lib/store/database.ts";
import { tableVariable } from "../../lib/store/table.ts";
import type { RunningService } from "./service.ts";

/** The database of a running service, for what no route does yet. */
export const databaseOf = ({ stack }: RunningService): Database => ({
  client: DynamoDBDocumentClient.from(new DynamoDBClient(localClient(stack.endpoints.DYNAMODB))),
  table: (table) => {
    const name = stack.environments.map((environment) => environment[tableVariable(table)]).find(Boolean);
    if (name === undefined) throw new Error(`No function uses the table ${table}.`);
    return name;
  },
});
