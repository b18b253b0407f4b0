import { awaitAll } from "../../lib/async/concurrency.ts";
import { alertSums } from "../../lib/store/alerts/sums.ts";
import { alertStateStore } from "../../lib/store/alerts/states.ts";
import { scoreMatches } from "../../lib/store/alerts/score-matches.ts";
import { compiledRules } from "../../lib/store/alerts/matching-rules.ts";
import { lowScoreEvent } from "../../lib/events/low-score.ts";
import { organizationsOfProjects } from "../../lib/store/access/organizations-of-projects.ts";
import { environmentAnnouncer } from "../../lib/wiring/events.ts";
import { counterStore } from "../../lib/store/totals/counters.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { latestSessionScores } from "../../lib/store/scores/latest-of-session.ts";
import { newestScores } from "../../lib/store/scores/newest.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import { scoreStatistics } from "../../lib/store/scores/statistics.ts";
import { storedRowReader } from "../../lib/store/traces/stored-row.ts";
import { foldScoreAlerts } from "../../lib/stream/alert-changes.ts";
import { scoreWindow } from "../../lib/stream/score-window.ts";
import { markLakeChanges, tracesOfScores } from "../../lib/stream/lake-changes.ts";
import { closedDays } from "../../lib/store/lake/closed-days.ts";
import { lakeChanges } from "../../lib/store/lake/changes.ts";
import { dueDays } from "../../lib/store/lake/due-days.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import type { WindowEvent } from "../../lib/stream/window-event.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();

const living = existingProjects(database);

const aggregate = scoreWindow(
  scoreStatistics(database),
  latestSessionScores(database),
  newestScores(database),
  counterStore(database),
  living,
);
const announce = environmentAnnouncer(organizationsOfProjects(database));
const alertStates = alertStateStore(database);
const foldAlerts = foldScoreAlerts({
  rulesOf: compiledRules(database),
  sums: alertSums(database, alertStates),
  living,
  matches: scoreMatches(database),
  postpone: ({ projectId, id }, scores) => alertStates.noteUnread(projectId, id, scores),
  rowOf: storedRowReader(database),
  announce: (scores) => announce(scores.map(lowScoreEvent)),
});

const markLake = markLakeChanges(closedDays(database), lakeChanges(database), dueDays(database), living);
const { pointerSnapshot } = traceReader(database);
const startOf = async (project: string, trace: string) =>
  (await pointerSnapshot(project, trace))?.pointer.startedAt ?? null;

/**
 * Updates score statistics, the newest scores per target and sums of alert rules, announces low scores, and marks traces of closed days of the lake whose scores have changed, from the records of a
 * table stream.
 */
export const handler = withStreamLag("follow-scores", async (event: WindowEvent) => {
  const state = aggregate(event);
  const records = event.Records ?? [];
  await awaitAll<unknown>([
    state,
    foldAlerts(event.shardId ?? "", records),
    tracesOfScores(records, startOf).then((traces) => markLake(traces, "scores")),
  ]);
  return await state;
});
