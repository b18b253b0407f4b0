import type { DynamoDBStreamEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { pendingPlace } from "../../../lib/store/hours/pending-turns.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { hourRefresh } from "../../../lib/upkeep/refresh-hours.ts";
import { sumSampling } from "../../../lib/upkeep/sample-sums.ts";
import { sweepHours } from "../../../lib/upkeep/sweep-hours.ts";
import { allLiving } from "../../support/database/all-living.ts";
import { startDatabase } from "../../support/database/database.ts";
import { tableStream } from "../../support/database/table-stream.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { counted, scaleMeter } from "./scale-meter.ts";

/** The stream's batch. */
const batch = 1_000;
const sweepMilliseconds = 60_000;

/** So many projects that each send a trace at the same time, and what follows in the background. */
export const benchProjects = async (count: number): Promise<void> => {
  const database = await startDatabase({ streams: true });
  const [stream, pending] = [await tableStream(database, "rows"), pendingMarks(database, "hours")];
  const measure = scaleMeter(database, counted(count, "projects"));
  const projects = Array.from({ length: count }, () => randomUUID());
  await measure("a trace of each", async () => {
    const traces = traceStore(database, 0);
    for (const project of projects) await traces.save(project, someTrace());
  });
  const records = (await stream()) as DynamoDBStreamEvent["Records"];
  await measure("counters and hours of all, folded", async () => {
    const refresh = hourRefresh(hourRollups(database), pending);
    const follow = traceWindow(traceCounts(database), changedSegments(database), refresh, allLiving);
    for (let at = 0; at < records.length; at += batch) {
      const { state } = await follow({ Records: records.slice(at, at + batch), shardId: "shard" });
      await follow({ Records: [], shardId: "shard", state, isFinalInvokeForWindow: true });
    }
  });
  await measure("the sweeper's hours", async () => {
    const swept = await sweepHours(
      hourRollups(database),
      pending,
      cursorStore(database, pendingPlace),
      sweepMilliseconds,
    );
    return JSON.stringify(swept);
  });
  await measure("the sweeper's sample of sums", async () =>
    JSON.stringify(await sumSampling(database)(sweepMilliseconds)),
  );
  await database.close();
};
