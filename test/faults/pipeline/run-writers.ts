import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { wholeTargets, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { runPurge } from "../../../lib/evaluation/upkeep/purge-run.ts";
import { judgedPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { traceScorer } from "../../../lib/evaluation/slices/trace-targets.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import type { Database } from "../../../lib/store/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { snapshotMarks } from "../../../lib/store/monitors/marks.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { turnStore } from "../../../lib/store/runs/turns.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { saved, type Act, type Writer } from "../ingest/trace-writers.ts";

const ordered = (project: string, given: Partial<RunOrder> = {}): RunOrder =>
  someOrder({ projectId: project, metrics: ["task_completion"], createdAt: instantAt(Date.now()), ...given });

const createdRun = async (database: Database, project: string): Promise<RunOrder> => {
  const { trace_id } = await saved(database, project);
  const order = ordered(project);
  await runCreation(database)(order, wholeTargets([trace_id]));
  return order;
};

const ceilings = { run: 5, project: 50, organization: null, deployment: null };

const judge =
  (own: Database, { projectId, id }: RunOrder): Act =>
  async () => {
    const [runs, spend] = [runStore(own), spendStore(own)];
    const stored = await runs.read(projectId, id);
    if (stored === null) return;
    const [first] = await runs.slices(projectId, id, stored.attempt);
    const claim = await sliceStore(own).claim(projectId, id, first?.slice.id ?? "");
    if (claim.kind !== "claimed") return;
    const { held } = claim;
    const delivery = { project: projectId, run: id, slice: held.slice.id, epoch: held.epoch };
    await spend.reserve({ ...delivery, spent: 0, want: 0.2, least: 0.01, ceilings });
    const trace = await traceReader(own).get(projectId, held.slice.targets[0] ?? "");
    if (trace === null) return;
    const judgement = { value: 1, reason: "It is good.", metadata: {} };
    const scored = traceScorer({ order: stored.run.order }, trace, Date.now);
    const settling = settlement(own, { runs, sessions: sessionRows(own) });
    await settling.commit(held, 1, [judgedPair(0, judgement, scored("task_completion", judgement))]);
    await spend.settle(delivery, 0.1);
  };

const minutely = (project: string): Monitor => someMonitor(project, { cadence: everyMinute });

const firing = (own: Database, target: string) =>
  monitorFiring({
    monitors: monitorStore(own),
    firings: firingStore(own),
    marks: snapshotMarks(own),
    matching: async () => [{ id: target, changedAt: Date.now(), traces: 1 }],
    runOf: async (project, run) => (await runStore(own).read(project, run))?.run ?? null,
    start: ({ id, monitor }) =>
      runCreation(own)(ordered(monitor.projectId, { id, monitorId: monitor.id }), wholeTargets([target])),
    isAlive: async () => true,
    now: Date.now,
  });

const purging = (own: Database) => {
  const deletion = runDeletion(own, runStore(own));
  const purge = runPurge({
    deletion,
    scores: scoreRemoval(own),
    spend: spendStore(own),
    now: () => Date.now() + 120_000,
  });
  return { deletion, purge };
};

/** What functions write of runs and monitors, by what it is. */
export const runWriters: Readonly<Record<string, Writer>> = {
  "a run": async (database, project) => {
    const { trace_id } = await saved(database, project);
    return (own) => runCreation(own)(ordered(project), wholeTargets([trace_id]));
  },

  "the judging of a run": async (database, project) => {
    const order = await createdRun(database, project);
    return (own) => judge(own, order)(own);
  },

  "a turn": async (_, project) => (own) => turnStore(own).take(project),

  "the end of a run": async (database, project) => {
    const order = await createdRun(database, project);
    await judge(database, order)(database);
    return async (own) => {
      const { deletion, purge } = purging(own);
      const stored = await runStore(own).read(project, order.id);
      if (stored === null) return;
      await deletion.remove(stored, true);
      for (let turn = 0; turn < 2; turn += 1) {
        const deleted = await deletion.find(project, order.id);
        if (deleted !== null) await purge(deleted, Number.POSITIVE_INFINITY);
      }
    };
  },

  "the end of a run that did not come to be": async (database, project) => {
    const order = ordered(project, { createdAt: instantAt(Date.now() - 120_000) });
    const { trace_id } = await saved(database, project);
    // Dies when its slices are put and its run is not committed.
    const dying = faultyDatabase(database, ({ operation }) => (operation === "UpdateItem" ? "crash-before" : null));
    await runCreation(dying)(order, wholeTargets([trace_id])).catch(() => undefined);
    return async (own) => {
      const stored = await runStore(own).read(project, order.id);
      if (stored !== null) await openRunStore(own).removeUncommitted(stored);
    };
  },

  "a monitor and its firing": async (database, project) => {
    const { trace_id } = await saved(database, project);
    return async (own) => {
      const { monitor } = await monitorStore(own).create(minutely(project));
      const { id, generation, nextRunAt } = monitor;
      await firing(own, trace_id).fire({ project, monitor: id, generation, scheduledAt: nextRunAt ?? 0 });
    };
  },

  "a firing of a monitor that ends": async (database, project) => {
    const { trace_id } = await saved(database, project);
    const { monitor } = await monitorStore(database).create(minutely(project));
    const { id, generation, nextRunAt } = monitor;
    await firing(database, trace_id).fire({ project, monitor: id, generation, scheduledAt: nextRunAt ?? 0 });
    return (own) => monitorStore(own).delete(project, id);
  },
};
