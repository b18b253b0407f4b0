import type { Monitor } from "../../../lib/domain/monitors/monitor.ts";
import { everyMinute, someMonitor } from "../../support/monitors.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { wholeTargets, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { runPurge } from "../../../lib/evaluation/maintenance/purge-run.ts";
import { judgedPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { traceScorer } from "../../../lib/evaluation/slices/trace-targets.ts";
import { monitorFiring } from "../../../lib/monitors/fire.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { changeMarkerStore } from "../../../lib/store/monitors/change-markers.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { openRunStore } from "../../../lib/store/runs/open.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import { settlement } from "../../../lib/store/runs/settlement.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { organizationsOfProjects } from "../../../lib/store/access/organizations-of-projects.ts";
import { rotationStore } from "../../../lib/store/runs/rotations.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { saveTrace, type WriteOperation, type Writer } from "../ingest/trace-writers.ts";

const orderOf = (project: string, fields: Partial<RunOrder> = {}): RunOrder =>
  someOrder({ projectId: project, metrics: ["task_completion"], createdAt: instantAt(Date.now()), ...fields });

const createdRun = async (database: Database, project: string): Promise<RunOrder> => {
  const { trace_id } = await saveTrace(database, project);
  const order = orderOf(project);
  await runCreation(database)(order, wholeTargets([trace_id]));
  return order;
};

const ceilings = { run: 5, project: 50, organization: null, deployment: null };

const judge =
  (connection: Database, { projectId, id }: RunOrder): WriteOperation =>
  async () => {
    const [runs, spend] = [runStore(connection), spendStore(connection)];
    const storedRun = await runs.read(projectId, id);
    if (storedRun === null) return;
    const [first] = await runs.slices(projectId, id, storedRun.attempt);
    const claim = await sliceStore(connection).claim(projectId, id, first?.slice.id ?? "");
    if (claim.kind !== "claimed") return;
    const { slice } = claim;
    const delivery = { project: projectId, run: id, slice: slice.slice.id, epoch: slice.epoch };
    await spend.reserve({ ...delivery, spent: 0, maxUsd: 0.2, minUsd: 0.01, ceilings });
    const trace = await traceReader(connection).get(projectId, slice.slice.targets[0] ?? "");
    if (trace === null) return;
    const judgement = { value: 1, reason: "It is good.", metadata: {} };
    const scored = traceScorer({ order: storedRun.run.order }, trace, Date.now);
    const settling = settlement(connection, { runs, sessions: sessionRows(connection) });
    await settling.commit(slice, 1, [judgedPair(0, judgement, scored("task_completion", judgement))]);
    await spend.settle(delivery, 0.1);
  };

const everyMinuteMonitor = (project: string): Monitor => someMonitor(project, { cadence: everyMinute });

const firing = (connection: Database, target: string) =>
  monitorFiring({
    monitors: monitorStore(connection),
    firings: firingStore(connection),
    changeMarkers: changeMarkerStore(connection),
    matching: async () => [{ id: target, changedAt: Date.now(), traces: 1 }],
    runOf: async (project, run) => (await runStore(connection).read(project, run))?.run ?? null,
    start: ({ id, monitor }) =>
      runCreation(connection)(orderOf(monitor.projectId, { id, monitorId: monitor.id }), wholeTargets([target])),
    organizationOf: async (project) => project,
    now: Date.now,
  });

const purging = (connection: Database) => {
  const deletion = runDeletion(connection, runStore(connection));
  const purge = runPurge({
    deletion,
    scores: scoreRemoval(connection),
    now: () => Date.now() + 120_000,
  });
  return { deletion, purge };
};

const turnsOf = (connection: Database) => rotationStore(connection, organizationsOfProjects(connection));

/** Lets a run, whose id is that of its project, enter its rotations and take a turn. */
const takeTurn = async (connection: Database, project: string): Promise<void> => {
  const turns = turnsOf(connection);
  await turns.enter(project, project);
  for (const place of await turns.projects((await turns.organizationOf(project, project)) ?? ""))
    await turns.take(place);
};

/** Write operations on runs and monitors, by name. */
export const runWriters: Readonly<Record<string, Writer>> = {
  "a run": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    return (connection) => runCreation(connection)(orderOf(project), wholeTargets([trace_id]));
  },

  "the judging of a run": async (database, project) => {
    const order = await createdRun(database, project);
    return (connection) => judge(connection, order)(connection);
  },

  "the end of a run's turns": async (database, project) => {
    await takeTurn(database, project);
    return (connection) => turnsOf(connection).leave(project, project);
  },

  "a turn": async (_, project) => (connection) => takeTurn(connection, project),

  "the end of a run": async (database, project) => {
    const order = await createdRun(database, project);
    await judge(database, order)(database);
    return async (connection) => {
      const { deletion, purge } = purging(connection);
      const storedRun = await runStore(connection).read(project, order.id);
      if (storedRun === null) return;
      await deletion.remove(storedRun, true);
      for (let turn = 0; turn < 2; turn += 1) {
        const deleted = await deletion.find(project, order.id);
        if (deleted !== null) await purge(deleted, Number.POSITIVE_INFINITY);
      }
    };
  },

  "the end of a run that did not come to be": async (database, project) => {
    const order = orderOf(project, { createdAt: instantAt(Date.now() - 120_000) });
    const { trace_id } = await saveTrace(database, project);
    // Crashes after the slices are stored and before the run is committed.
    const dying = faultyDatabase(database, ({ operation }) => (operation === "UpdateItem" ? "crash-before" : null));
    await runCreation(dying)(order, wholeTargets([trace_id])).catch(() => undefined);
    return async (connection) => {
      const storedRun = await runStore(connection).read(project, order.id);
      if (storedRun !== null) await openRunStore(connection).removeUncommitted(storedRun);
    };
  },

  "a monitor and its firing": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    return async (connection) => {
      const { monitor } = await monitorStore(connection).create(everyMinuteMonitor(project));
      const { id, generation, nextRunAt } = monitor;
      await firing(connection, trace_id).fire({ project, monitor: id, generation, scheduledAt: nextRunAt ?? 0 });
    };
  },

  "a firing of a monitor that ends": async (database, project) => {
    const { trace_id } = await saveTrace(database, project);
    const { monitor } = await monitorStore(database).create(everyMinuteMonitor(project));
    const { id, generation, nextRunAt } = monitor;
    await firing(database, trace_id).fire({ project, monitor: id, generation, scheduledAt: nextRunAt ?? 0 });
    return (connection) => monitorStore(connection).delete(project, id);
  },
};
