import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { bucketStore } from "../../lib/lake/bucket.ts";
import { dayWriter } from "../../lib/lake/day-writer.ts";
import { openEngine } from "../../lib/lake/engine.ts";
import { lookupEvent, wordLookup } from "../../lib/lake/word-lookup.ts";
import { dueDayWriter } from "../../lib/lake/write-due-days.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { logLine } from "../../lib/log.ts";
import { required, variables } from "../../lib/wiring/environment.ts";

const database = connect();
const objects = bucketStore(required(variables.lakeBucket));
const packagePath = required(variables.lakePackages);

/** Time in which days are begun: the largest takes half of the function's time. The sweeper starts the next writer. */
const workMilliseconds = 420_000;

/** Folder of copies of index files, which later lookups of the process read again. */
const copies = join(tmpdir(), "words");

let lookUp: Promise<ReturnType<typeof wordLookup>> | undefined;

const openLookup = async () => {
  await mkdir(copies, { recursive: true });
  const engine = await openEngine({ packagePath, directory: copies, memoryMegabytes: 1_000, threads: 2 });
  return wordLookup(objects, engine, copies);
};

/**
 * Looks words up in the index of the lake if the event is a lookup, and returns instants; else writes the days that are due.
 *
 * @throws Error if days could not be written, or an index file does not exist any more.
 */
export const handler = async (event: unknown): Promise<readonly string[] | null> => {
  if (v.is(lookupEvent, event)) return await (await (lookUp ??= openLookup()))(event.lookup);
  const directory = await mkdtemp(join(tmpdir(), "lake-"));
  // Half of the function's memory is for rows that are read and for files in transfer.
  const engine = await openEngine({ packagePath, directory, memoryMegabytes: 1_000, threads: 2 });
  try {
    const report = await dueDayWriter(database, dayWriter(database, objects, engine, directory))(workMilliseconds);
    logLine("lake_written", { ...report });
    if (report.failed > 0) throw new Error(`${report.failed} days of the lake could not be written.`);
    return null;
  } finally {
    engine.close();
    await rm(directory, { recursive: true, force: true });
  }
};
