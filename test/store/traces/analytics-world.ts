import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { hourRefresh } from "../../../lib/maintenance/refresh-hours.ts";
import { sweepHours } from "../../../lib/maintenance/sweep-hours.ts";
import type { Granularity } from "../../../lib/domain/analytics/bucket.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { markerTurnsCursor } from "../../../lib/store/hours/fair-turns.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { rowStream } from "../../support/traces/row-stream.ts";

/** The stream worker and the hour sweeper of a database, at the time of a clock. */
export const followerOf = (database: Database, now: () => number) => {
  const rollups = hourRollups(database, now);
  const pending = pendingMarkers(database, "hours");
  const window = traceWindow(
    traceCounts(database, now),
    changedSegments(database),
    hourRefresh(rollups, pending, now),
    withoutDeletions,
    now,
  );
  return {
    rollups,
    pending,
    window,
    /** Delivers the records to the stream worker as one window. */
    follow: async (records: readonly DynamoDBRecord[], shardId = "shard"): Promise<void> => {
      const { state } = await window({ Records: [...records], shardId });
      await window({ shardId, state, isFinalInvokeForWindow: true });
    },
    sweep: () => sweepHours(rollups, pending, cursorStore(database, markerTurnsCursor, now), 60_000, now),
  };
};

/** A project with its own stream and clock; nothing is computed before `settle`. */
export const analyticsWorld = (database: Database, retentionDays = 0) => {
  const clock = { now: Date.parse("2026-10-01T12:00:00Z") };
  const now = (): number => clock.now;
  const project = randomUUID();
  const traces = traceStore(database, retentionDays, now);
  const stream = rowStream(database, project);
  const follower = followerOf(database, now);
  const [figures, usage] = [analyticsFigures(database, now), analyticsUsage(database, now)];
  return {
    project,
    clock,
    ...follower,
    records: stream.records,
    save: (...newTraces: readonly IdentifiedTrace[]) =>
      Promise.all(newTraces.map((trace) => traces.save(project, trace))),
    remove: (trace: string) => traceRemoval(database, now).remove(project, trace),
    total: () => traceCounts(database, now).total(project),
    /** Delivers all new stream records, and advances the clock by a second. */
    settle: async (): Promise<void> => {
      await follower.follow(await stream.records());
      clock.now += 1_000;
    },
    figures: (from: string, to: string, granularity: Granularity = "hour") =>
      figureBuckets(figures(project, from, to), granularity),
    usage: (from: string, to: string, granularity: Granularity = "hour") =>
      usageBuckets(usage(project, from, to), granularity),
    models: (from: string, to: string) => topModels(usage(project, from, to)),
  };
};

export type AnalyticsWorld = ReturnType<typeof analyticsWorld>;
