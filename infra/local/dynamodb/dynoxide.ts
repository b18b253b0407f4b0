import { join } from "node:path";
import { runDatabase } from "./database-process.ts";
import { dynoxideProgram } from "./dynoxide-program.ts";
import type { Engine } from "./engine.ts";
import { repairStreams } from "./stream-repairs.ts";

const thisPlatform = `${process.platform}-${process.arch}`;

/**
 * The database engine dynoxide, with its data in one SQLite file. Data that may be lost stays in memory, where streams are not repaired:
 * each of their records slows down writes.
 *
 * Missing features, which `stream-repairs.ts` and `time-to-live.ts` add: expiry of items, trimming of streams, an index on stream
 * records. Differences to DynamoDB: a put that changes nothing emits a stream record (dropped in `mapping/shard-reader.ts`), no
 * throttling, no transaction conflicts, every read is strongly consistent.
 */
export const dynoxide: Engine = {
  dataDirectory: (directory) => directory,
  start: async (dataDirectory, register, isPersistent = true) => {
    const command = dynoxideProgram();
    if (command === undefined)
      throw new Error(
        `dynoxide is not installed, or does not exist for ${thisPlatform}: run npm ci, or choose DYNAMODB=local.`,
      );
    const path = join(dataDirectory, "dynamodb.sqlite");
    const database = await runDatabase(register, {
      command,
      parameters: (port) => {
        const address = ["--host", "127.0.0.1", "--port", String(port)];
        return isPersistent ? [...address, "--db-path", path] : address;
      },
      endsWithInput: false,
      describeFailure: (lastOutput) => `dynoxide did not start on ${path}. ${lastOutput}`,
    });
    return { ...database, streamTimeStep: 1_000, repair: () => void (isPersistent && repairStreams(path)) };
  },
};
