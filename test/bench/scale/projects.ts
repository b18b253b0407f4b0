import type { DynamoDBStreamEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { markerTurnsCursor } from "../../../lib/store/hours/fair-turns.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { hourRefresh } from "../../../lib/maintenance/refresh-hours.ts";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { sweepHours } from "../../../lib/maintenance/sweep-hours.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { startDatabase } from "../../support/database/database.ts";
import { tableStream } from "../../support/database/table-stream.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

/** Batch size of the stream. */
const batch = 1_000;
const sweepMilliseconds = 60_000;

/** Measures `count` projects that each send a trace at the same time, and the background work that follows. */
export const benchProjects = async (count: number): Promise<void> => {
  const database = await startDatabase({ streams: true });
  const [stream, pending] = [await tableStream(database, "rows"), pendingMarkers(database, "hours")];
  const measure = scaleMeter(database, quantity(count, "projects"));
  const projects = Array.from({ length: count }, () => randomUUID());
  await measure("a trace of each", async () => {
    const traces = traceStore(database, 0);
    for (const project of projects) await traces.save(project, someTrace());
  });
  const records = (await stream()) as DynamoDBStreamEvent["Records"];
  await measure("counters and hours of all, folded", async () => {
    const refresh = hourRefresh(hourRollups(database), pending);
    const follow = traceWindow(traceCounts(database), changedSegments(database), refresh, withoutDeletions);
    for (let at = 0; at < records.length; at += batch) {
      const { state } = await follow({ Records: records.slice(at, at + batch), shardId: "shard" });
      await follow({ Records: [], shardId: "shard", state, isFinalInvokeForWindow: true });
    }
  });
  await measure("the sweeper's hours", async () => {
    const swept = await sweepHours(
      hourRollups(database),
      pending,
      cursorStore(database, markerTurnsCursor),
      sweepMilliseconds,
    );
    return JSON.stringify(swept);
  });
  await measure("the sweeper's sample of sums", async () =>
    JSON.stringify(await sumSampler(database)(sweepMilliseconds)),
  );
  await database.close();
};
