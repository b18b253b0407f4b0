import * as v from "valibot";
import { sessionFilters } from "../contract/sessions/filters.ts";
import { traceFilters } from "../contract/traces/filters.ts";
import { runNameOf, type Monitor } from "../domain/monitors/monitor.ts";
import { environmentTier, required, requiredNumber, variables } from "./environment.ts";
import { customMetricStore } from "../store/metrics/custom-metrics.ts";
import { resolveMetrics } from "../evaluation/start/resolve-metrics.ts";
import { matchingTargets, type TargetFilters } from "../evaluation/start/matching-targets.ts";
import { runStart, type FilteredRequest } from "../evaluation/start/start-run.ts";
import { organizationOfLivingProject } from "../store/access/existing-projects.ts";
import type { Database } from "../dynamo/database.ts";
import { firingStore } from "../store/monitors/firings.ts";
import { changeMarkerStore } from "../store/monitors/change-markers.ts";
import { monitorStore } from "../store/monitors/monitors.ts";
import { runCreation } from "../store/runs/creation.ts";
import { runStore } from "../store/runs/runs.ts";
import { monitorFiring } from "../monitors/fire.ts";
import { targetSources } from "./target-sources.ts";

const filtersOf = ({ targetType, settings: { filters } }: Monitor): TargetFilters =>
  v.parse(targetType === "TRACE" ? traceFilters : sessionFilters, filters);

const requestOf = (id: string, monitor: Monitor): FilteredRequest => {
  const { metrics, model, judge, tier, filters, ...settings } = monitor.settings;
  return {
    id,
    projectId: monitor.projectId,
    name: runNameOf(monitor),
    targetType: monitor.targetType,
    metrics,
    model: judge?.first ?? model,
    judge: judge ?? undefined,
    signalWeights: settings.signal_weights,
    maxCostUsd: settings.max_cost_usd,
    tier,
    filters,
    samplingRate: settings.sampling_rate,
    monitorId: monitor.id,
  };
};

/** Creates the firing of monitors, configured from the environment. @throws Error with the name of a missing variable. */
export const environmentFiring = (database: Database) => {
  const runs = runStore(database);
  const choose = resolveMetrics(customMetricStore(database));
  const matching = matchingTargets(targetSources(database));
  const start = runStart({
    createRun: runCreation(database),
    defaultModel: required(variables.judgeModel),
    defaultTier: environmentTier(),
    maxTargets: requiredNumber(variables.maxTargetsPerRun),
    now: Date.now,
  });
  return monitorFiring({
    monitors: monitorStore(database),
    firings: firingStore(database),
    changeMarkers: changeMarkerStore(database),
    matching: (monitor) => matching(monitor.projectId, monitor.targetType, filtersOf(monitor)),
    start: async ({ id, monitor, targets, idempotency, event }) => {
      const { projectId, targetType, settings } = monitor;
      const metrics = await choose(projectId, targetType, settings.metrics);
      return await start.startFiltered({ ...requestOf(id, monitor), metrics }, targets, idempotency, event);
    },
    runOf: async (project, run) => {
      const storedRun = await runs.read(project, run);
      return storedRun === null || storedRun.isCreating || storedRun.deletion !== null ? null : storedRun.run;
    },
    organizationOf: organizationOfLivingProject(database),
    now: Date.now,
  });
};
