import type { Schedules } from "../monitoring/schedules.ts";
import type { Database } from "../store/database.ts";
import { eraseAggregates } from "../store/erase-aggregates.ts";
import type { Erase } from "../store/erase-items.ts";
import { eraseMonitors } from "../store/erase-monitors.ts";
import { eraseRuns } from "../store/erase-runs.ts";
import { eraseScores } from "../store/erase-scores.ts";
import { eraseSpend } from "../store/erase-spend.ts";
import { eraseTraces } from "../store/erase-traces.ts";

/** What is removed of a project, by what a receipt calls it, in the order in which it goes: what makes work comes first. */
export const projectErasers = (
  database: Database,
  schedules: Pick<Schedules, "remove">,
  now: () => number = Date.now,
): readonly (readonly [name: string, erase: Erase])[] => [
  ["monitors", eraseMonitors(database, (project, monitor) => schedules.remove(project, monitor))],
  ["runs", eraseRuns(database, now)],
  ["scores", eraseScores(database)],
  ["traces", eraseTraces(database)],
  ["spend", eraseSpend(database, now)],
  ["aggregates", eraseAggregates(database)],
];
