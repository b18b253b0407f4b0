import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { hourRefresh } from "../../../lib/upkeep/refresh-hours.ts";
import { sweepHours } from "../../../lib/upkeep/sweep-hours.ts";
import type { Granularity } from "../../../lib/domain/analytics/bucket.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import type { Database } from "../../../lib/store/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import { pendingPlace } from "../../../lib/store/hours/pending-turns.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { allLiving } from "../../support/database/all-living.ts";
import { rowStream } from "../../support/traces/row-stream.ts";

/** What follows the stream of a database, at the time of a clock. */
export const followerOf = (database: Database, now: () => number) => {
  const rollups = hourRollups(database, now);
  const pending = pendingMarks(database, "hours");
  const window = traceWindow(
    traceCounts(database, now),
    changedSegments(database),
    hourRefresh(rollups, pending, now),
    allLiving,
    now,
  );
  return {
    rollups,
    pending,
    window,
    /** One window with all of these records. */
    follow: async (records: readonly DynamoDBRecord[], shardId = "shard"): Promise<void> => {
      const { state } = await window({ Records: [...records], shardId });
      await window({ shardId, state, isFinalInvokeForWindow: true });
    },
    sweep: () => sweepHours(rollups, pending, cursorStore(database, pendingPlace, now), 60_000, now),
  };
};

/** A project with its own stream and clock; nothing is computed until `settle`. */
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
    save: (...sent: readonly IdentifiedTrace[]) => Promise.all(sent.map((trace) => traces.save(project, trace))),
    remove: (trace: string) => traceRemoval(database, now).remove(project, trace),
    total: () => traceCounts(database, now).total(project),
    /** Follows everything that has changed. */
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
