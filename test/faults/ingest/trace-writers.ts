import { randomBytes, randomUUID } from "node:crypto";
import { hourRefresh } from "../../../lib/maintenance/refresh-hours.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { existingProjects } from "../../../lib/store/access/existing-projects.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { tracePurge } from "../../../lib/store/garbage/purge.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { rowStream } from "../../support/traces/row-stream.ts";
import { someScore, someSessionScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** A function's write operation on a project, over a connection that may fail. */
export type WriteOperation = (connection: Database) => Promise<unknown>;

/** Stores the data that a write operation needs, and returns the operation. */
export type Writer = (database: Database, project: string) => Promise<WriteOperation>;

const [day, dayBefore] = ["2026-10-02T10:00:00+00:00", "2026-10-01T10:00:00+00:00"];

/** Random text of two document parts, which cannot be compressed. */
const incompressibleText = (): string => randomBytes(420_000).toString("base64");

export const saveTrace = async (database: Database, project: string, fields: Parameters<typeof someTrace>[0] = {}) => {
  const trace = someTrace({ started_at: day, ...fields });
  await traceStore(database, 0).save(project, trace);
  return trace;
};

const sessionScore = (project_id: string, session_id: string) => someSessionScore({ project_id, session_id });

/** Write operations on traces, sessions and their scores, by name. */
export const traceWriters: Readonly<Record<string, Writer>> = {
  "a new trace": async (_, project) => (connection) => saveTrace(connection, project, { input: incompressibleText() }),

  "more of a trace": async (database, project) => {
    const { trace_id, ...trace } = await saveTrace(database, project);
    return (connection) =>
      traceStore(connection, 0).save(project, { ...trace, trace_id, metadata: { more: incompressibleText() } });
  },

  "an earlier start of a trace": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    return (connection) => traceStore(connection, 0).save(project, someTrace({ trace_id, started_at: dayBefore }));
  },

  "the end of a trace": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    await scoreCreation(database).ofTrace(someScore({ project_id: project, trace_id }));
    const incarnation = (await traceReader(database).get(project, trace_id))?.row.incarnation ?? "";
    return async (connection) => {
      await traceRemoval(connection).remove(project, trace_id);
      await tracePurge(connection, scoreRemoval(connection).removeScoresOfTrace).purge(project, trace_id, incarnation);
    };
  },

  "the end of a session": async (database, project) => {
    const session_id = randomUUID();
    await saveTrace(database, project, { session_id });
    return (connection) => sessionRemoval(connection).remove(project, session_id);
  },

  "a trace's score": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    return (connection) => scoreCreation(connection).ofTrace(someScore({ project_id: project, trace_id }));
  },

  "a session's score": async (database, project) => {
    const session_id = randomUUID();
    await saveTrace(database, project, { session_id });
    return (connection) => scoreCreation(connection).ofSession(sessionScore(project, session_id));
  },

  "sums of traces": async (database, project) => {
    const stream = rowStream(database, project);
    await stream.records();
    // Two days, neither of which has other spans.
    await saveTrace(database, project, { session_id: randomUUID() });
    const Records = [...(await stream.records())];
    // All records have one instant, however slow the database is.
    const at = Date.now();
    const now = (): number => at;
    return async (connection) => {
      const marks = pendingMarkers(connection, "hours");
      const refresh = hourRefresh(hourRollups(connection, now), marks, now);
      const window = traceWindow(
        traceCounts(connection, now),
        changedSegments(connection),
        refresh,
        existingProjects(connection),
        now,
      );
      const { state } = await window({ shardId: "shard", Records });
      await window({ shardId: "shard", state, isFinalInvokeForWindow: true });
      // Too early: the hour was computed a moment ago.
      await window({ shardId: "other", Records, isFinalInvokeForWindow: true });
    };
  },

  "segments of a session": async (_, project) => {
    const session = randomUUID();
    return (connection) =>
      sessionSegments(connection).create(project, session, [[Buffer.alloc(24), Buffer.alloc(24, 1)]], null);
  },

  "sums of scores": async (database, project) => {
    const session = randomUUID();
    await saveTrace(database, project, { session_id: session });
    const score = sessionScore(project, session);
    await scoreCreation(database).ofSession(score);
    const after = { name: score.name, status: score.status, value: 1, order: `${score.created_at}#${score.id}` };
    const shared = { project, before: null, after, sequence: 1n };
    return async (connection) => {
      if (!(await existingProjects(connection)([project])).has(project)) return;
      await scoreStatistics(connection).fold(randomUUID(), [
        { ...shared, target: "session", session },
        { ...shared, target: "trace", session: null },
      ]);
      await latestSessionScores(connection).refresh(project, score.name, session);
    };
  },
};
