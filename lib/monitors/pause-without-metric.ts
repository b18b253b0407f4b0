import { metricReference } from "../domain/metrics/custom/reference.ts";
import { pausedWithoutMetrics } from "../domain/monitors/monitor.ts";
import { offsetPage } from "../domain/page.ts";
import { monitorPausedEvent } from "./firing-events.ts";
import type { Monitors } from "../store/monitors/monitors.ts";

/** Maximum monitors of a project that are read at once. */
const pageSize = 1000;

/**
 * Pauses the active monitors of a project that name a deleted metric, with an event for each. The sweeper disables their schedules; until then
 * their firings are dropped. A monitor that the list does not have yet is paused by its next firing.
 */
export const pauseMonitorsOfMetric = async (
  monitors: Pick<Monitors, "page" | "change">,
  project: string,
  metric: string,
  now: number,
): Promise<void> => {
  const { items } = await monitors.page(project, "ACTIVE", offsetPage(pageSize, 0));
  for (const { id, settings } of items) {
    if (settings.metrics.every((name) => metricReference(name).name !== metric)) continue;
    const names = { metrics: settings.metrics, cause: `The metric ${metric} was deleted.` };
    await monitors.change(project, id, (current) => pausedWithoutMetrics(current, names, now), monitorPausedEvent);
  }
};
