import { awaitAll } from "../../lib/async/concurrency.ts";
import { mergePromptly } from "../../lib/maintenance/merge-documents.ts";
import { purgeRemovalsPromptly } from "../../lib/maintenance/purge-removals.ts";
import { hourRefresh } from "../../lib/maintenance/refresh-hours.ts";
import { alertSums } from "../../lib/store/alerts/sums.ts";
import { alertStateStore } from "../../lib/store/alerts/states.ts";
import { compiledRules } from "../../lib/store/alerts/matching-rules.ts";
import { changedSegments } from "../../lib/store/sessions/changed-segments.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { documentMerging } from "../../lib/store/garbage/document-merging.ts";
import { environmentOfScores } from "../../lib/store/scores/environments.ts";
import { experimentStore } from "../../lib/store/experiments/experiments.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { removalPurge } from "../../lib/store/scores/purge.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { traceSilences } from "../../lib/store/access/trace-silence.ts";
import { endingMarkers } from "../../lib/store/traces/silence/ending-markers.ts";
import { foldTraceAlerts } from "../../lib/stream/alert-changes.ts";
import { followEnvironments } from "../../lib/stream/environment-changes.ts";
import { followExperiments } from "../../lib/stream/experiment-changes.ts";
import { removalsOf, isRemoval } from "../../lib/stream/removals.ts";
import { changedRows, markLakeChanges } from "../../lib/stream/lake-changes.ts";
import { closedDays } from "../../lib/store/lake/closed-days.ts";
import { lakeChanges } from "../../lib/store/lake/changes.ts";
import { dueDays } from "../../lib/store/lake/due-days.ts";
import { markAwaited } from "../../lib/stream/awaited-traces.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { traceWindow } from "../../lib/stream/trace-window.ts";
import type { WindowEvent } from "../../lib/stream/window-event.ts";
import { unmergedDocument } from "../../lib/stream/unmerged-document.ts";

const database = connect();

const living = existingProjects(database);

const aggregate = traceWindow(
  traceCounts(database),
  changedSegments(database),
  hourRefresh(hourRollups(database), pendingMarkers(database, "hours")),
  living,
);
const foldAlerts = foldTraceAlerts({
  rulesOf: compiledRules(database),
  sums: alertSums(database, alertStateStore(database)),
  living,
});
const purge = purgeRemovalsPromptly(removalPurge(database), pendingMarkers(database, "removals"));
const tidy = mergePromptly(documentMerging(database), pendingMarkers(database, "documents"));
const experiments = followExperiments(experimentStore(database).follow, living);
const environments = followEnvironments(environmentOfScores(database), living);
const markLake = markLakeChanges(closedDays(database), lakeChanges(database), dueDays(database), living);
const awaitEndings = markAwaited(endingMarkers(database), traceSilences(database));

/**
 * Updates trace counters, hourly rollups and sums of alert rules, purges deleted traces and sessions, merges document pieces, lists the traces of experiments, gives scores the environment of a trace that tells it later, marks traces that may end by silence, and marks what has changed in closed days of the lake, from the records of
 * a table stream: one reader does all, so that the second one stays free.
 */
export const handler = withStreamLag("follow-rows", async (event: WindowEvent) => {
  const { Records: records = [] } = event;
  const state = aggregate(event);
  await awaitAll<unknown>([
    state,
    foldAlerts(event.shardId ?? "", records),
    purge(records.filter(isRemoval).flatMap(removalsOf)),
    awaitEndings(records),
    experiments(records),
    environments(records),
    markLake(changedRows(records)),
    tidy(records.map(unmergedDocument).filter((each) => each !== null)),
  ]);
  return await state;
});
