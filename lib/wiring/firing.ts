import * as v from "valibot";
import { sessionFilters } from "../contract/sessions/filters.ts";
import { traceFilters } from "../contract/traces/filters.ts";
import { runNameOf, type Monitor } from "../domain/monitors/monitor.ts";
import { required, requiredNumber, variables } from "./environment.ts";
import { environmentTier } from "./judge-tier.ts";
import { environmentCustomMetrics } from "./custom-metrics.ts";
import { chosenMetrics } from "../evaluation/start/chosen-metrics.ts";
import { matchingTargets, type TargetFilters } from "../evaluation/start/matching-targets.ts";
import { runStart, type FilteredRequest } from "../evaluation/start/start-run.ts";
import { projectLives } from "../store/access/living-projects.ts";
import type { Database } from "../store/database.ts";
import { firingStore } from "../store/monitors/firings.ts";
import { snapshotMarks } from "../store/monitors/marks.ts";
import { monitorStore } from "../store/monitors/monitors.ts";
import { runCreation } from "../store/runs/creation.ts";
import { runStore } from "../store/runs/runs.ts";
import { monitorFiring } from "../monitors/fire.ts";
import { targetSources } from "./target-sources.ts";

const filtersOf = ({ targetType, settings: { filters } }: Monitor): TargetFilters =>
  v.parse(targetType === "TRACE" ? traceFilters : sessionFilters, filters);

const requestOf = (id: string, monitor: Monitor): FilteredRequest => {
  const { metrics, model, signalWeights, maxCostUsd, tier, filters, samplingRate } = monitor.settings;
  return {
    id,
    projectId: monitor.projectId,
    name: runNameOf(monitor),
    targetType: monitor.targetType,
    metrics,
    model,
    signalWeights,
    maxCostUsd,
    tier,
    filters,
    samplingRate,
    monitorId: monitor.id,
  };
};

/** The firing of monitors on the environment's settings. @throws Error naming what is not set. */
export const environmentFiring = (database: Database) => {
  const runs = runStore(database);
  const choose = chosenMetrics(environmentCustomMetrics(database));
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
    marks: snapshotMarks(database),
    matching: (monitor) => matching(monitor.projectId, monitor.targetType, filtersOf(monitor)),
    start: async ({ id, monitor, targets, repeat }) => {
      const { projectId, targetType, settings } = monitor;
      const metrics = await choose(projectId, targetType, settings.metrics);
      return await start.filtered({ ...requestOf(id, monitor), metrics }, targets, repeat);
    },
    runOf: async (project, run) => {
      const stored = await runs.read(project, run);
      return stored === null || stored.creating || stored.deleted !== null ? null : stored.run;
    },
    isAlive: projectLives(database),
    now: Date.now,
  });
};
