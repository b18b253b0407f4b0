import * as v from "valibot";
import { carryingOver } from "../../lib/upkeep/carry-over.ts";
import { bookChecking } from "../../lib/upkeep/check-books.ts";
import { sumSampling } from "../../lib/upkeep/sample-sums.ts";
import { documentPlace, sweepDocuments } from "../../lib/upkeep/tidy-documents.ts";
import { documentFolding } from "../../lib/store/remains/document-folding.ts";
import { sweepHours } from "../../lib/upkeep/sweep-hours.ts";
import { erasing } from "../../lib/deletion/erase-deleted.ts";
import { storageScanning } from "../../lib/deletion/scan-storage.ts";
import { required, variables } from "../../lib/wiring/environment.ts";
import { runPurge } from "../../lib/evaluation/upkeep/purge-run.ts";
import { burialPlace, sweep } from "../../lib/evaluation/upkeep/sweep.ts";
import { logLine } from "../../lib/log.ts";
import { environmentSchedules } from "../../lib/wiring/schedules.ts";
import { schedulePlace, sweepMonitors } from "../../lib/monitors/sweep-monitors.ts";
import { firingQueue } from "../../lib/queue/firing-queue.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { connect } from "../../lib/store/database.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { dueMonitors } from "../../lib/store/monitors/due.ts";
import { monitorStore } from "../../lib/store/monitors/monitors.ts";
import { openRunStore } from "../../lib/store/runs/open.ts";
import { pendingPlace } from "../../lib/store/hours/pending-turns.ts";
import { pendingMarks } from "../../lib/store/hours/pending-marks.ts";
import { dueRunStore } from "../../lib/store/runs/due-runs.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { repricing } from "../../lib/store/traces/repricing/reprice.ts";
import { repricingPlace, repricingSweeping } from "../../lib/upkeep/sweep-repricings.ts";
import { environmentPrices } from "../../lib/wiring/trace-prices.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { sendingStore } from "../../lib/store/runs/sendings.ts";
import { cursorStore } from "../../lib/store/cursor.ts";
import { reconciliationCalling } from "../../lib/store/access/reconciliation.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { spendStore } from "../../lib/store/spend/spend.ts";

const database = connect();
const [openRuns, dueRuns, runs] = [openRunStore(database), dueRunStore(database), runStore(database)];
const sendings = sendingStore(database);
const deletion = runDeletion(database, runs);
const purge = runPurge({
  deletion,
  scores: scoreRemoval(database),
  spend: spendStore(database),
  now: Date.now,
});
const buriedTo = cursorStore(database, burialPlace);
const queue = judgeQueue(required(variables.judgeQueueUrl));
const monitors = monitorStore(database);
const firings = firingQueue(required(variables.firingQueueUrl));

const erase = erasing(database, environmentSchedules());
const scan = storageScanning(database);
const sample = sumSampling(database);
const checkBooks = bookChecking(database);
const carryOver = carryingOver(database);
const reprice = repricingSweeping(
  database,
  repricing(database, environmentPrices()),
  pendingMarks(database, "repricings"),
  cursorStore(database, repricingPlace),
);
const callReconciliation = reconciliationCalling(database);

/** Of the sweeper's 120 s. */
const eraseMilliseconds = 60_000;
const scanMilliseconds = 30_000;
const sampleMilliseconds = 30_000;
const hourMilliseconds = 60_000;
const booksMilliseconds = 20_000;
/** A large document may take 80 s beyond: it is begun in time for that. */
const documentMilliseconds = 25_000;
const carryMilliseconds = 20_000;
const repriceMilliseconds = 30_000;

/** `queue_lost`: the judges' queue was emptied by hand, or did not survive; its slices are sent again at once. */
const request = v.fallback(v.object({ queue_lost: v.optional(v.boolean(), false) }), { queue_lost: false });

export const handler = async (event?: unknown): Promise<void> => {
  const { queue_lost: queueIsEmpty } = v.parse(request, event);
  const swept = await Promise.allSettled([
    sweep({ openRuns, dueRuns, runs, sendings, queue, queueIsEmpty, deletion, purge, buriedTo, now: Date.now }),
    sweepMonitors({
      monitors,
      due: dueMonitors(database),
      schedules: environmentSchedules(),
      cursor: cursorStore(database, schedulePlace),
      send: (firing) => firings.send(firing),
      now: Date.now,
    }),
    sweepHours(
      hourRollups(database),
      pendingMarks(database, "hours"),
      cursorStore(database, pendingPlace),
      hourMilliseconds,
    ),
    sweepDocuments(
      documentFolding(database),
      pendingMarks(database, "documents"),
      cursorStore(database, documentPlace),
      documentMilliseconds,
    ),
    erase(eraseMilliseconds),
    scan(scanMilliseconds),
    sample(sampleMilliseconds),
    checkBooks(booksMilliseconds),
    carryOver(carryMilliseconds),
    reprice(repriceMilliseconds),
    callReconciliation(),
  ]);
  const failures: unknown[] = [];
  for (const each of swept) {
    if (each.status === "fulfilled") logLine("swept", { ...each.value });
    else failures.push(each.reason);
  }
  if (failures.length > 0) throw new AggregateError(failures, "Not everything could be repaired.");
};
