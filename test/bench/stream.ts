import type { DynamoDBStreamEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { hourRefresh } from "../../lib/maintenance/refresh-hours.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { changedSegments } from "../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { traceWindow } from "../../lib/stream/trace-window.ts";
import { withoutDeletions } from "../support/database/without-deletions.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import { seeded } from "../support/random.ts";
import { tableStream, type TableStream } from "../support/database/table-stream.ts";
import { countCapacity, type Spent } from "./capacity.ts";
import { figureTable, type Figure } from "./figures.ts";
import { generateTrace } from "./generate-trace.ts";
import { firstStart, hour } from "./sample-traces.ts";

const [windows, minute] = [20, 60_000];

/** Measures stream windows of `size` new traces, each window in a different hour. */
const measureWindows = async (
  database: TestDatabase,
  rows: TableStream,
  spent: () => Spent,
  size: number,
  seed: number,
): Promise<readonly Spent[]> => {
  const [project, random] = [randomUUID(), seeded(seed).next];
  const traces = traceStore(database, 0);
  const costs: Spent[] = [];
  for (let window = 0; window < windows; window += 1) {
    for (let index = 0; index < size; index += 1) {
      const start = firstStart + window * hour + (index % 50) * minute;
      await traces.save(project, generateTrace(random, `${project} ${window} ${index}`, start));
    }
    const Records = (await rows()) as DynamoDBStreamEvent["Records"];
    const refresh = hourRefresh(hourRollups(database), pendingMarkers(database, "hours"));
    const follow = traceWindow(traceCounts(database), changedSegments(database), refresh, withoutDeletions);
    spent();
    const { state } = await follow({ Records, shardId: "shard" });
    await follow({ Records: [], shardId: "shard", state, isFinalInvokeForWindow: true });
    costs.push(spent());
  }
  return costs;
};

/** Prints the cost per trace of counters and analytics hours. */
export const benchStream = async (seed: number): Promise<void> => {
  const database = await startDatabase({ streams: true });
  const [rows, spent] = [await tableStream(database, "rows"), countCapacity(database)];
  const [writes, reads]: [Figure[], Figure[]] = [[], []];
  for (const size of [1, 10, 100]) {
    const costs = await measureWindows(database, rows, spent, size, seed);
    const name = `counters and hours, a trace, ${size} an hour and window`;
    writes.push({ name, values: costs.map(({ write }) => write / size), times: [] });
    reads.push({ name, values: costs.map(({ read }) => read / size), times: [] });
  }
  console.log(`${figureTable("write units", writes)}\n\n${figureTable("read units", reads)}`);
  await database.close();
};
