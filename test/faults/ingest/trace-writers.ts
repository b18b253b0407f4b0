import { randomBytes, randomUUID } from "node:crypto";
import { hourRefresh } from "../../../lib/upkeep/refresh-hours.ts";
import type { Database } from "../../../lib/store/database.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { livingProjects } from "../../../lib/store/access/living-projects.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { changedSegments } from "../../../lib/store/sessions/changed-segments.ts";
import { sessionSegments } from "../../../lib/store/sessions/segments.ts";
import { traceCounts } from "../../../lib/store/traces/counts.ts";
import { tracePurge } from "../../../lib/store/remains/purge.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { rowStream } from "../../support/traces/row-stream.ts";
import { someScore, someSessionScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** Something that a function does to a project, over a connection that may fail. */
export type Act = (own: Database) => Promise<unknown>;

/** Makes what the act needs to be there before it, and the act. */
export type Writer = (database: Database, project: string) => Promise<Act>;

const [day, dayBefore] = ["2026-10-02T10:00:00+00:00", "2026-10-01T10:00:00+00:00"];

/** Two parts of a document: random, so that nothing can be compressed. */
const long = (): string => randomBytes(420_000).toString("base64");

/** Stores a trace. */
export const saved = async (database: Database, project: string, given: Parameters<typeof someTrace>[0] = {}) => {
  const trace = someTrace({ started_at: day, ...given });
  await traceStore(database, 0).save(project, trace);
  return trace;
};

const sessionScore = (project_id: string, session_id: string) => someSessionScore({ project_id, session_id });

/** What functions write of traces, sessions and their scores, by what it is. */
export const traceWriters: Readonly<Record<string, Writer>> = {
  "a new trace": async (_, project) => (own) => saved(own, project, { input: long() }),

  "more of a trace": async (database, project) => {
    const { trace_id, ...trace } = await saved(database, project);
    return (own) => traceStore(own, 0).save(project, { ...trace, trace_id, metadata: { more: long() } });
  },

  "an earlier start of a trace": async (database, project) => {
    const { trace_id } = await saved(database, project);
    return (own) => traceStore(own, 0).save(project, someTrace({ trace_id, started_at: dayBefore }));
  },

  "the end of a trace": async (database, project) => {
    const { trace_id } = await saved(database, project);
    await scoreCreation(database).ofTrace(someScore({ project_id: project, trace_id }));
    const incarnation = (await traceReader(database).get(project, trace_id))?.row.incarnation ?? "";
    return async (own) => {
      await traceRemoval(own).remove(project, trace_id);
      await tracePurge(own, scoreRemoval(own).removeScoresOfTrace).purge(project, trace_id, incarnation);
    };
  },

  "the end of a session": async (database, project) => {
    const session_id = randomUUID();
    await saved(database, project, { session_id });
    return (own) => sessionRemoval(own).remove(project, session_id);
  },

  "a trace's score": async (database, project) => {
    const { trace_id } = await saved(database, project);
    return (own) => scoreCreation(own).ofTrace(someScore({ project_id: project, trace_id }));
  },

  "a session's score": async (database, project) => {
    const session_id = randomUUID();
    await saved(database, project, { session_id });
    return (own) => scoreCreation(own).ofSession(sessionScore(project, session_id));
  },

  "sums of traces": async (database, project) => {
    const stream = rowStream(database, project);
    await stream.records();
    // In two days, of which neither is the other spans'.
    await saved(database, project, { session_id: randomUUID() });
    const Records = [...(await stream.records())];
    // All within a moment, however slow the database is.
    const at = Date.now();
    const now = (): number => at;
    return async (own) => {
      const marks = pendingMarks(own, "hours");
      const refresh = hourRefresh(hourRollups(own, now), marks, now);
      const window = traceWindow(traceCounts(own, now), changedSegments(own), refresh, livingProjects(own), now);
      const { state } = await window({ shardId: "shard", Records });
      await window({ shardId: "shard", state, isFinalInvokeForWindow: true });
      // Too early: it was computed a moment ago.
      await window({ shardId: "other", Records, isFinalInvokeForWindow: true });
    };
  },

  "segments of a session": async (_, project) => {
    const session = randomUUID();
    return (own) => sessionSegments(own).make(project, session, [[Buffer.alloc(24), Buffer.alloc(24, 1)]], null);
  },

  "sums of scores": async (database, project) => {
    const session = randomUUID();
    await saved(database, project, { session_id: session });
    const score = sessionScore(project, session);
    await scoreCreation(database).ofSession(score);
    const after = { name: score.name, status: score.status, value: 1, order: `${score.created_at}#${score.id}` };
    const shared = { project, before: null, after, sequence: 1n };
    return async (own) => {
      if (!(await livingProjects(own)([project])).has(project)) return;
      await scoreStatistics(own).fold(randomUUID(), [
        { ...shared, target: "session", session },
        { ...shared, target: "trace", session: null },
      ]);
      await latestSessionScores(own).refresh(project, score.name, session);
    };
  },
};
