import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { runDatabase } from "./database-process.ts";
import type { Engine } from "./engine.ts";
import { repairStreams } from "./stream-repairs.ts";

const thisPlatform = `${process.platform}-${process.arch}`;

/** The path of dynoxide's program, where the platform has one and it is installed. */
export const dynoxideProgram = (platform = thisPlatform): string | undefined => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`);
    const path = join(dirname(manifest), "dynoxide");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
};

/**
 * dynoxide, with its data in one file.
 *
 * Does not do by itself, see `stream-repairs.ts` and `time-to-live.ts`: expiry, trimming of streams, an index for them.
 * Emits a stream record for a put that changes nothing (dropped in `mapping/shard-reader.ts`). Never throttles, never
 * conflicts between transactions, always reads strongly.
 */
export const dynoxide: Engine = {
  dataDirectory: (directory) => directory,
  start: async (dataDirectory, register) => {
    const command = dynoxideProgram();
    if (command === undefined)
      throw new Error(
        `dynoxide is not installed, or does not exist for ${thisPlatform}: run npm install, or choose DYNAMODB=local.`,
      );
    const path = join(dataDirectory, "dynamodb.sqlite");
    const database = await runDatabase(register, {
      command,
      parameters: (port) => ["--host", "127.0.0.1", "--port", String(port), "--db-path", path],
      endsWithInput: false,
      explain: (words) => `dynoxide did not start on ${path}. ${words}`,
    });
    return { ...database, streamTimeStep: 1_000, repair: () => void repairStreams(path) };
  },
};
