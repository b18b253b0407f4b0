import { createSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { changeMarkersOf, coverageTest } from "../../../lib/domain/monitors/watermark.ts";
import type { TargetType } from "../../../lib/domain/runs/run.ts";
import { sample } from "../../../lib/domain/runs/sample.ts";
import { sessionFilter } from "../../../lib/domain/sessions/filter.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";
import { sessionList } from "../../../lib/store/sessions/list.ts";
import { targetSources } from "../../../lib/wiring/target-sources.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";

/** An operation that reads all rows of a project, with its function's memory in megabytes. */
interface Work {
  readonly memory: number;
  readonly run: (database: Database) => Promise<unknown>;
}

const project = "00000000-0000-4000-8000-000000000001";
const page = { limit: 200, offset: 0, order: "desc" } as const;
const range = ["2026-10-01T00:00:00+00:00", "2026-11-01T00:00:00+00:00"] as const;

/** Megabytes of a function without its own memory setting. */
const usualMemory = 512;

/** Megabytes of the worker that fires monitors. */
const monitorMemory = 1024;

const run = (type: TargetType) => async (database: Database) => {
  const matchingTargetRows = await matchingTargets(targetSources(database))(project, type, {});
  return sample(matchingTargetRows, 0.001);
};

const firing = (type: TargetType) => async (database: Database) => {
  const targets = await matchingTargets(targetSources(database))(project, type, {});
  const marks = changeMarkersOf(targets, Date.now());
  const sees = coverageTest({ at: 0, seen: [] }, marks);
  return [targets.filter((target) => !sees(target)).length, sample(targets, 0.001)];
};

export const works = {
  sessions: {
    memory: listSessions.memory ?? usualMemory,
    run: (database) => sessionList(database)(project, { ...page, filter: sessionFilter({}), sortBy: "cost" }),
  },
  "sessions at their end": {
    memory: listSessions.memory ?? usualMemory,
    run: (database) =>
      sessionList(database)(project, { ...page, filter: sessionFilter({}), sortBy: "cost", offset: 1_400_000 }),
  },
  "session analytics": {
    memory: getSessionAnalytics.memory ?? usualMemory,
    run: (database) => sessionAnalytics(database)(project, ...range, "hour"),
  },
  "session run": { memory: createSessionRun.memory ?? usualMemory, run: run("SESSION") },
  "trace run": { memory: createTraceRun.memory ?? usualMemory, run: run("TRACE") },
  "session monitor": { memory: monitorMemory, run: firing("SESSION") },
  "trace monitor": { memory: monitorMemory, run: firing("TRACE") },
  "filtered traces": {
    memory: listTraces.memory ?? usualMemory,
    run: (database) => traceList(database).list(project, { ...page, filter: traceFilter({}), sortBy: "name" }),
  },
  "traces in the middle": {
    memory: listTraces.memory ?? usualMemory,
    run: (database) =>
      traceList(database).list(project, { ...page, filter: traceFilter({}), sortBy: "started_at", offset: 1_000_000 }),
  },
  "filtered traces at their end": {
    memory: listTraces.memory ?? usualMemory,
    run: (database) =>
      traceList(database).list(project, { ...page, filter: traceFilter({}), sortBy: "name", offset: 1_990_000 }),
  },
  users: { memory: listUsers.memory ?? usualMemory, run: (database) => userList(database)(project, 200, 0) },
} satisfies Readonly<Record<string, Work>>;

export type WorkName = keyof typeof works;

export const isWorkName = (text: string): text is WorkName => Object.hasOwn(works, text);
