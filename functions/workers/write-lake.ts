import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { rowFilters } from "../../lib/contract/traces/filters.ts";
import { bucketStore } from "../../lib/lake/bucket.ts";
import { dayWriter } from "../../lib/lake/day-writer.ts";
import { openEngine } from "../../lib/lake/engine.ts";
import { fileCopies } from "../../lib/lake/file-copies.ts";
import { sumLookup, sumLookupEvent } from "../../lib/lake/sum-lookup.ts";
import { traceLookup, traceLookupEvent } from "../../lib/lake/trace-lookup.ts";
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

/** Folder of copies of files, which later lookups of the process read again. */
const directoryOfCopies = join(tmpdir(), "copies");

const openLookups = async () => {
  await mkdir(directoryOfCopies, { recursive: true });
  const settings = { packagePath, directory: directoryOfCopies, memoryMegabytes: 1_000, threads: 2 };
  const [engine, copies] = [await openEngine(settings), fileCopies(objects, directoryOfCopies)];
  return { words: wordLookup(copies, engine), traces: traceLookup(copies, engine), sums: sumLookup(copies, engine) };
};
let lookups: ReturnType<typeof openLookups> | undefined;

const [listEvent, sumEvent] = [traceLookupEvent(rowFilters), sumLookupEvent(rowFilters)];

const hasKey = (event: unknown, key: string): boolean => typeof event === "object" && event !== null && key in event;

/**
 * Looks words up in the index of the lake if the event is a lookup, and returns instants; lists traces or sums them up if it is a list or a sum; else writes the days
 * that are due.
 *
 * @throws Error if days could not be written, a file does not exist any more, or a lookup, a list or a sum is invalid, which must not begin to write.
 */
export const handler = async (event: unknown): Promise<unknown> => {
  if (hasKey(event, "lookup"))
    return await (await (lookups ??= openLookups())).words(v.parse(lookupEvent, event).lookup);
  if (hasKey(event, "list")) return await (await (lookups ??= openLookups())).traces(v.parse(listEvent, event).list);
  if (hasKey(event, "sum")) return await (await (lookups ??= openLookups())).sums(v.parse(sumEvent, event).sum);
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
