import * as v from "valibot";
import { evaluateAlerts } from "../../lib/maintenance/evaluate-alerts.ts";
import { firstWindow, maxFirstReads } from "../../lib/maintenance/first-window.ts";
import { ledgerChecker } from "../../lib/maintenance/check-ledger.ts";
import { endSilentTraces } from "../../lib/maintenance/end-silent-traces.ts";
import { mappingChecker } from "../../lib/maintenance/check-mappings.ts";
import { sumSampler } from "../../lib/maintenance/sample-sums.ts";
import { documentCursor, sweepDocuments } from "../../lib/maintenance/merge-documents.ts";
import { removalCursor, sweepRemovals } from "../../lib/maintenance/purge-removals.ts";
import { documentMerging } from "../../lib/store/garbage/document-merging.ts";
import { sweepHours } from "../../lib/maintenance/sweep-hours.ts";
import { deletionEraser } from "../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../lib/deletion/scan-storage.ts";
import { closeLabelSets } from "../../lib/maintenance/close-label-sets.ts";
import { defaultBounds } from "../../lib/aws/call-bounds.ts";
import { functionStarter } from "../../lib/aws/invoke-function.ts";
import { mappingStates } from "../../lib/aws/lambda-requests.ts";
import { required, streamMappings, variables } from "../../lib/wiring/environment.ts";
import { runPurge } from "../../lib/evaluation/maintenance/purge-run.ts";
import { deletedRunsCursor, sweep } from "../../lib/evaluation/maintenance/sweep.ts";
import { unreadScoreEvents } from "../../lib/events/low-score.ts";
import { faultFields, logLine } from "../../lib/log.ts";
import { environmentSchedules } from "../../lib/wiring/schedules.ts";
import { scheduleCursor, sweepMonitors } from "../../lib/monitors/sweep-monitors.ts";
import { firingQueue } from "../../lib/queue/firing-queue.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { pastWindows } from "../../lib/store/alerts/past-windows.ts";
import { alertRules } from "../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../lib/store/alerts/states.ts";
import { alertSums } from "../../lib/store/alerts/sums.ts";
import { unreadScoreReader } from "../../lib/store/alerts/unread-scores.ts";
import { labelPublishing } from "../../lib/store/labels/publish.ts";
import { labelSetStore } from "../../lib/store/labels/sets.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { dueMonitors } from "../../lib/store/monitors/due.ts";
import { bucketStore } from "../../lib/lake/bucket.ts";
import { eraseLakeFiles } from "../../lib/lake/erase.ts";
import { dueDays } from "../../lib/store/lake/due-days.ts";
import { monitorStore } from "../../lib/store/monitors/monitors.ts";
import { openRunStore } from "../../lib/store/runs/open.ts";
import { markerTurnsCursor } from "../../lib/store/hours/fair-turns.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { dueRunStore } from "../../lib/store/runs/due-runs.ts";
import { rotationStore } from "../../lib/store/runs/rotations.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { lakeStarter } from "../../lib/maintenance/start-lake.ts";
import { repricingStarter } from "../../lib/maintenance/reprice-days.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { sliceResendStore } from "../../lib/store/runs/slice-resends.ts";
import { traceSilences } from "../../lib/store/access/trace-silence.ts";
import { endingMarkers } from "../../lib/store/traces/silence/ending-markers.ts";
import { endBySilence } from "../../lib/store/traces/silence/end-by-silence.ts";
import { cursorStore } from "../../lib/dynamo/cursor.ts";
import { organizationsOfProjects } from "../../lib/store/access/organizations-of-projects.ts";
import { reconciliationTrigger } from "../../lib/store/access/reconciliation.ts";
import { removalPurge } from "../../lib/store/scores/purge.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";

const database = connect();
const [openRuns, dueRuns, runs] = [openRunStore(database), dueRunStore(database), runStore(database)];
const turns = rotationStore(database, organizationsOfProjects(database));
const sendings = sliceResendStore(database);
const deletion = runDeletion(database, runs);
const purge = runPurge({ deletion, scores: scoreRemoval(database), now: Date.now });
const buriedTo = cursorStore(database, deletedRunsCursor);
const queue = judgeQueue(required(variables.judgeQueueUrl));
const monitors = monitorStore(database);
const firings = firingQueue(required(variables.firingQueueUrl));

const alertStates = alertStateStore(database);
const sums = alertSums(database, alertStates);

const lakeFiles = bucketStore(required(variables.lakeBucket));
const erase = deletionEraser(database, environmentSchedules(), Date.now, [["files", eraseLakeFiles(lakeFiles)]]);
const scan = storageScan(database);
const sample = sumSampler(database);
const checkBooks = ledgerChecker(database);
const start = functionStarter(defaultBounds);
const dayRepricer = required(variables.dayRepricer);
const startRepricing = repricingStarter(pendingMarkers(database, "repricings"), () => start(dayRepricer, {}));
const lakeWriter = process.env[variables.lakeWriter];
const startLake = lakeStarter(dueDays(database), async () => {
  if (lakeWriter !== undefined && lakeWriter !== "") await start(lakeWriter, {});
});
const callReconciliation = reconciliationTrigger(database);
const checkMappings = mappingChecker(streamMappings(), mappingStates(defaultBounds));

/** Time budgets of the maintenance tasks, which run concurrently within the worker's timeout of 120 s. */
const eraseMilliseconds = 60_000;
const scanMilliseconds = 30_000;
const sampleMilliseconds = 30_000;
const hourMilliseconds = 60_000;
const booksMilliseconds = 20_000;
/** Time in which the merge of a document is started; a large document may take 80 s more. */
const documentMilliseconds = 25_000;
const removalMilliseconds = 25_000;
const endingMilliseconds = 25_000;
const alertMilliseconds = 50_000;
const labelMilliseconds = 50_000;

/** Event of a manual invocation. `queue_lost: true` means that the judge queue was emptied: its run slices are sent again at once. */
const request = v.fallback(v.object({ queue_lost: v.optional(v.boolean(), false) }), { queue_lost: false });

/** Runs all maintenance tasks on a schedule. @throws AggregateError with the errors of the failed tasks. */
export const handler = async (event?: unknown): Promise<void> => {
  const { queue_lost: queueIsEmpty } = v.parse(request, event);
  const results = await Promise.allSettled([
    sweep({
      openRuns,
      dueRuns,
      runs,
      resends: sendings,
      queue,
      turns,
      queueIsEmpty,
      deletion,
      purge,
      purgeCursor: buriedTo,
      now: Date.now,
    }),
    sweepMonitors({
      monitors,
      due: dueMonitors(database),
      schedules: environmentSchedules(),
      cursor: cursorStore(database, scheduleCursor),
      send: (firing) => firings.send(firing),
      now: Date.now,
    }),
    sweepHours(
      hourRollups(database),
      pendingMarkers(database, "hours"),
      cursorStore(database, markerTurnsCursor),
      hourMilliseconds,
    ),
    sweepDocuments(
      documentMerging(database),
      pendingMarkers(database, "documents"),
      cursorStore(database, documentCursor),
      documentMilliseconds,
    ),
    sweepRemovals(
      removalPurge(database),
      pendingMarkers(database, "removals"),
      cursorStore(database, removalCursor),
      removalMilliseconds,
    ),
    endSilentTraces(
      {
        markers: endingMarkers(database),
        end: endBySilence(database),
        silenceOf: traceSilences(database),
        now: Date.now,
      },
      endingMilliseconds,
    ),
    evaluateAlerts(
      {
        rules: alertRules(database),
        states: alertStates,
        sums,
        firstWindow: firstWindow(pastWindows(database, maxFirstReads), sums),
        unreadScores: unreadScoreEvents(unreadScoreReader(database)),
        now: Date.now,
      },
      alertMilliseconds,
    ),
    closeLabelSets(labelSetStore(database), labelPublishing(database), labelMilliseconds),
    erase(eraseMilliseconds),
    scan(scanMilliseconds),
    sample(sampleMilliseconds),
    checkBooks(booksMilliseconds),
    startRepricing(),
    startLake(),
    callReconciliation(),
    checkMappings(),
  ]);
  const failures: Error[] = [];
  for (const each of results) {
    if (each.status === "fulfilled") logLine("swept", { ...each.value });
    else {
      logLine("sweep_task_failed", faultFields(each.reason));
      failures.push(each.reason instanceof Error ? each.reason : new Error("A task has thrown what is no error."));
    }
  }
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `Maintenance tasks have failed: ${failures.map(({ name }) => name).join(", ")}.`,
    );
};
