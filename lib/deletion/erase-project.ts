import { type Deletion, proofMilliseconds } from "../domain/access/deletion.ts";
import { epochOf } from "../domain/instant.ts";
import type { Schedules } from "../monitors/schedules.ts";
import type { Database } from "../dynamo/database.ts";
import { eraseAggregates } from "../store/hours/erase.ts";
import type { Erase } from "../dynamo/erase-items.ts";
import { eraseCustomMetrics } from "../store/metrics/erase.ts";
import { eraseAlerts } from "../store/alerts/erase.ts";
import { eraseExperiments } from "../store/experiments/experiments.ts";
import { eraseDatasets } from "../store/datasets/erase.ts";
import { eraseLabelSets } from "../store/labels/erase.ts";
import { dueDays } from "../store/lake/due-days.ts";
import { eraseMonitors } from "../store/monitors/erase.ts";
import { eraseRuns, stopRuns } from "../store/runs/erase.ts";
import { eraseScores } from "../store/scores/erase.ts";
import { eraseSpend } from "../store/spend/erase.ts";
import { eraseTraces } from "../store/garbage/erase.ts";

/**
 * Returns the erasers of a deleted project in their order, each with its unique name on the deletion receipt. Runs and
 * monitors come first, since they would create new items.
 */
export const projectErasers = (
  database: Database,
  schedules: Pick<Schedules, "remove">,
  { requestedAt }: Pick<Deletion, "requestedAt">,
  now: () => number = Date.now,
): readonly (readonly [name: string, erase: Erase])[] => [
  ["workers", stopRuns(database, now)],
  ["monitors", eraseMonitors(database, (project, monitor) => schedules.remove(project, monitor))],
  ["metrics", eraseCustomMetrics(database)],
  ["runs", eraseRuns(database, now)],
  // A set that is being closed makes scores.
  ["labels", eraseLabelSets(database)],
  ["scores", eraseScores(database)],
  ["traces", eraseTraces(database, now() - epochOf(requestedAt) >= proofMilliseconds)],
  ["spend", eraseSpend(database, now)],
  ["alerts", eraseAlerts(database)],
  ["datasets", eraseDatasets(database)],
  ["experiments", eraseExperiments(database)],
  ["aggregates", eraseAggregates(database)],
  // Days that wait for their files.
  ["lake", (project) => dueDays(database, now).erase(project)],
];
