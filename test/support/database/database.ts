import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type AttributeDefinition,
  type CreateTableCommandInput,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dynoxide } from "../../../infra/local/dynamodb/dynoxide.ts";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { openProcessRegister } from "../../../infra/local/host/process-register.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { metered } from "../../../lib/dynamo/metered-client.ts";
import { tables, type TableDefinition } from "../../../lib/dynamo/table.ts";
import { engine } from "./engine.ts";
import { leanClient, withoutRetries } from "./lean-client.ts";
import { loopbackHandler } from "./loopback-handler.ts";
import { refuseEmptyKeys } from "./refuse-empty-keys.ts";

/** A DynamoDB protocol server with the service's tables. */
export interface TestDatabase extends Database {
  readonly client: DynamoDBDocumentClient;
  /** Precision in milliseconds to which the streams' record creation times are rounded down. */
  readonly streamTimeStep: number;
  close(): Promise<void>;
}

const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } as const;

const keys = (partition: string, sort: string | null): CreateTableCommandInput["KeySchema"] => [
  { AttributeName: partition, KeyType: "HASH" },
  ...(sort === null ? [] : [{ AttributeName: sort, KeyType: "RANGE" as const }]),
];

const creation = (name: string, table: TableDefinition, streams: boolean) => {
  const indexes = Object.entries(table.indexes ?? {});
  const attributes = new Set([
    "pk",
    ...(table.sort ? ["sk"] : []),
    ...indexes.flatMap(([, { partition, sort }]) => [partition, sort]),
  ]);
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST" as const,
    AttributeDefinitions: [...attributes].map((name): AttributeDefinition => ({
      AttributeName: name,
      AttributeType: table.binaryKeys ? "B" : "S",
    })),
    KeySchema: keys("pk", table.sort ? "sk" : null),
    ...(streams && table.stream && { StreamSpecification }),
    ...(indexes.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: indexes.map(([IndexName, { partition, sort, projection }]) => ({
            IndexName,
            KeySchema: keys(partition, sort),
            Projection:
              typeof projection === "string"
                ? { ProjectionType: projection }
                : { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...projection] },
          })),
        }),
  };
};

type Server = Awaited<ReturnType<typeof engine.start>>;

/** Servers without tables. The files of a test process take turns on one: starting a process costs more than most files. */
const idleServers: Server[] = [];

/** Ends the idle servers, which keep a program alive that is no test. */
export const closeIdleServers = async (): Promise<void> => {
  await Promise.all(idleServers.splice(0).map((server) => server.close()));
};

const startServer = async (streams: boolean): Promise<Server> => {
  const directory = mkdtempSync(join(tmpdir(), "assay-store-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return engine.start(directory, openProcessRegister(directory), streams);
};

/**
 * Makes the service's tables for a test file, on a server that no other file uses at the time.
 *
 * @param streams true if the tables have streams, which needs a server that is started and ended for this file: a server keeps
 * the stream records of a deleted table.
 */
export const startDatabase = async ({ streams = false } = {}): Promise<TestDatabase> => {
  const server = (streams ? undefined : idleServers.pop()) ?? (await startServer(streams));
  // DynamoDB Local may send a reply in chunks.
  const transport = engine === dynoxide ? { requestHandler: loopbackHandler() } : {};
  const client = withoutRetries(leanClient(new DynamoDBClient({ ...localClient(server.url), ...transport })));
  const names = Object.keys(tables);
  for (const [name, table] of Object.entries(tables))
    await client.send(new CreateTableCommand(creation(name, table, streams)));
  if (streams) server.repair();
  const documents = metered(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }));
  refuseEmptyKeys(documents);
  return {
    client: documents,
    table: (name) => name,
    streamTimeStep: server.streamTimeStep,
    close: async () => {
      if (streams) await server.close();
      else {
        for (const TableName of names) await client.send(new DeleteTableCommand({ TableName }));
        idleServers.push(server);
      }
      client.destroy();
    },
  };
};
