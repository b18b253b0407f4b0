import { randomUUID } from "node:crypto";
import { mapConcurrently } from "../../../lib/async/concurrency.ts";
import { deletionEraser } from "../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { hourOf } from "../../../lib/domain/analytics/bucket.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { modelPrice } from "../../../lib/domain/traces/model-price.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import { ledgerChecker } from "../../../lib/maintenance/check-ledger.ts";
import { documentCursor, sweepDocuments } from "../../../lib/maintenance/merge-documents.ts";
import { sumSampler } from "../../../lib/maintenance/sample-sums.ts";
import { sweepHours } from "../../../lib/maintenance/sweep-hours.ts";
import { repricingCursor, dayRepricer } from "../../../lib/maintenance/reprice-days.ts";
import type { Schedules } from "../../../lib/monitors/schedules.ts";
import { scheduleCursor, sweepMonitors } from "../../../lib/monitors/sweep-monitors.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { reconciliationTrigger } from "../../../lib/store/access/reconciliation.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { documentMerging } from "../../../lib/store/garbage/document-merging.ts";
import { markerTurnsCursor } from "../../../lib/store/hours/fair-turns.ts";
import { hourName } from "../../../lib/store/hours/keys.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { dueMonitors } from "../../../lib/store/monitors/due.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { repricingJobs } from "../../../lib/store/traces/repricing/jobs.ts";
import { repricing } from "../../../lib/store/traces/repricing/reprice.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { sweepOf } from "../../store/monitors/sweep-fixture.ts";
import { startDatabase } from "../../support/database/database.ts";
import { someMonitor } from "../../support/monitors.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const minute = 60_000;
const noSchedules: Schedules = {
  apply: async () => undefined,
  remove: async () => undefined,
  page: async () => ({ monitors: [], next: null }),
};
const span = {
  span_id: "call",
  name: "call",
  model: "m",
  started_at: "2026-10-01T10:00:01+00:00",
  token_usage: { prompt_tokens: 1_000 },
};
const price = modelPrice([{ input: 5, output: 5, cached: 5, written: 5, reasoning: 5, from: null }]);

/**
 * Measures the first sweep after an outage of an hour, job by job: each of `count` tenants has an unsent run, a monitor that
 * missed its instant, a stale hour, a marked document and a requested repricing; every tenth one is being deleted.
 */
export const benchSweeper = async (count: number): Promise<void> => {
  const database = await startDatabase();
  const [access, start] = [accessStore(database, 10), Date.now()];
  const [hours, documents] = [pendingMarkers(database, "hours"), pendingMarkers(database, "documents")];
  const tenants = Array.from({ length: count }, (_, index) => index);
  await mapConcurrently(tenants, 20, async (index) => {
    const organizationId = await access.createOrganization("Acme");
    const project = await access.findOrCreateProject(organizationId, "default");
    const trace = someTrace({ spans: [span] });
    await traceStore(database, 0).save(project.id, trace);
    const order = someOrder({ projectId: project.id, total: 1, createdAt: instantAt(start) });
    await runCreation(database)(order, wholeTargets([trace.trace_id]));
    await monitorStore(database, () => start).create(someMonitor(project.id, { cadence: "cron:*/5 * * * *" }, start));
    await hours.mark(project.id, hourName({ hour: hourOf(trace.started_at), expiry: "-" }));
    await documents.mark(project.id, trace.trace_id);
    const [from, to] = ["2026-10-01T00:00:00+00:00", "2026-11-01T00:00:00+00:00"];
    const request = { id: randomUUID(), organizationId, project: project.id, from, to, requestedBy: randomUUID() };
    await repricingJobs(database).create(request);
    if (index % 10 === 0) await deletionRequests(database).ofProject(project, randomUUID());
  });
  const now = (): number => Date.now() + 60 * minute;
  const cursor = (location: Parameters<typeof cursorStore>[1]) => cursorStore(database, location, now);

  const jobs: Readonly<Record<string, () => Promise<unknown>>> = {
    runs: () => sweepOf(database, now),
    monitors: () =>
      sweepMonitors({
        monitors: monitorStore(database, now),
        due: dueMonitors(database, now),
        schedules: noSchedules,
        cursor: cursor(scheduleCursor),
        send: async () => undefined,
        now,
      }),
    hours: () => sweepHours(hourRollups(database), hours, cursor(markerTurnsCursor), minute),
    documents: () => sweepDocuments(documentMerging(database), documents, cursor(documentCursor), minute),
    deletions: () => deletionEraser(database, noSchedules, now)(minute),
    "scan of all tables": () => storageScan(database, now)(minute),
    "sample of sums": () => sumSampler(database, now)(minute),
    books: () => ledgerChecker(database, now)(minute),
    repricings: () =>
      dayRepricer(
        database,
        repricing(database, (model) => (model === "m" ? price : undefined)),
        pendingMarkers(database, "repricings"),
        cursor(repricingCursor),
      )(minute),
    "call of the reconciliation": () => reconciliationTrigger(database, now)(),
  };
  const measure = scaleMeter(database, quantity(count, "tenants"));
  for (const [name, job] of Object.entries(jobs)) {
    await measure(`the sweeper's ${name}`, async () => {
      const before = process.cpuUsage();
      const report = await job();
      const { user, system } = process.cpuUsage(before);
      return `${((user + system) / 1e6).toFixed(2)} s of CPU; ${JSON.stringify(report)}`;
    });
  }
  await database.close();
};
