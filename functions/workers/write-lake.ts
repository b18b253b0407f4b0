import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketStore } from "../../lib/lake/bucket.ts";
import { dayWriter } from "../../lib/lake/day-writer.ts";
import { openEngine } from "../../lib/lake/engine.ts";
import { dueDayWriter } from "../../lib/lake/write-due-days.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { logLine } from "../../lib/log.ts";
import { required, variables } from "../../lib/wiring/environment.ts";

const database = connect();
const objects = bucketStore(required(variables.lakeBucket));
const packagePath = required(variables.lakePackages);

/** Time in which days are begun: the largest takes half of the function's time. The sweeper starts the next writer. */
const workMilliseconds = 420_000;

/** Writes the days of the lake that are due, whatever the event is. @throws Error if days could not be written. */
export const handler = async (): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "lake-"));
  // Half of the function's memory is for rows that are read and for files in transfer.
  const engine = await openEngine({ packagePath, directory, memoryMegabytes: 1_000, threads: 2 });
  try {
    const report = await dueDayWriter(database, dayWriter(database, objects, engine, directory))(workMilliseconds);
    logLine("lake_written", { ...report });
    if (report.failed > 0) throw new Error(`${report.failed} days of the lake could not be written.`);
  } finally {
    engine.close();
    await rm(directory, { recursive: true, force: true });
  }
};
