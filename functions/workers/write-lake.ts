import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { rowFilters } from "../../lib/contract/traces/filters.ts";
import { bucketStore } from "../../lib/lake/bucket.ts";
import { dayWriter } from "../../lib/lake/day-writer.ts";
import { openEngine } from "../../lib/lake/engine.ts";
import { lakeLookups } from "../../lib/lake/lookups.ts";
import { sessionLookupEvent } from "../../lib/lake/sessions/session-lookup.ts";
import { sumLookupEvent } from "../../lib/lake/sum-lookup.ts";
import { targetLookupEvent } from "../../lib/lake/target-lookup.ts";
import { traceLookupEvent } from "../../lib/lake/trace-lookup.ts";
import { lookupEvent } from "../../lib/lake/word-lookup.ts";
import { dueDayWriter } from "../../lib/lake/write-due-days.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { logLine } from "../../lib/log.ts";
import { required, variables } from "../../lib/wiring/environment.ts";

const database = connect();
const objects = bucketStore(required(variables.lakeBucket));
const packagePath = required(variables.lakePackages);

/** Time in which days are begun: the largest takes half of the function's time. The sweeper starts the next writer. */
const workMilliseconds = 420_000;

/** Lookups, which later events of the process use again, with copies of files. */
const lookups = lakeLookups(objects, {
  packagePath,
  directory: join(tmpdir(), "copies"),
  memoryMegabytes: 1_000,
  threads: 2,
});

const [listEvent, sumEvent] = [traceLookupEvent(rowFilters), sumLookupEvent(rowFilters)];
const [sessionEvent, targetEvent] = [sessionLookupEvent(rowFilters), targetLookupEvent(rowFilters)];

const hasKey = (event: unknown, key: string): boolean => typeof event === "object" && event !== null && key in event;

/**
 * Looks words up in the index of the lake if the event is a lookup, and returns instants; lists traces or sums them up, or
 * their sessions, or finds targets of scores, if it is a list, a sum, `sessions` or `targets`; else writes the days that are due.
 *
 * @throws Error if days could not be written, a file does not exist any more, or such an event is invalid, which must not begin to write.
 */
export const handler = async (event: unknown): Promise<unknown> => {
  if (hasKey(event, "lookup")) return await (await lookups()).words(v.parse(lookupEvent, event).lookup);
  if (hasKey(event, "list")) return await (await lookups()).traces(v.parse(listEvent, event).list);
  if (hasKey(event, "sum")) return await (await lookups()).sums(v.parse(sumEvent, event).sum);
  if (hasKey(event, "sessions")) return await (await lookups()).sessions(v.parse(sessionEvent, event).sessions);
  if (hasKey(event, "targets")) return await (await lookups()).targets(v.parse(targetEvent, event).targets);
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
