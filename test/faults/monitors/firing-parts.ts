import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { FiringDependencies } from "../../../lib/monitors/fire.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { changeMarkerStore } from "../../../lib/store/monitors/change-markers.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { someOrder } from "../../support/runs/runs.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** Dependencies of a worker that fires monitors, with an in-memory search for matching targets. */
export const firingPartsOn = (
  database: Database,
  matching: FiringDependencies["matching"],
  { now }: Pick<VirtualClock, "now">,
): FiringDependencies => {
  const [runs, create] = [runStore(database, now), runCreation(database, now)];
  return {
    monitors: monitorStore(database, now),
    firings: firingStore(database, now),
    changeMarkers: changeMarkerStore(database, now),
    matching,
    runOf: async (project, run) => {
      const storedRun = await runs.read(project, run);
      return storedRun === null || storedRun.isCreating ? null : storedRun.run;
    },
    start: ({ id, monitor, targets, event }) =>
      create(
        someOrder({
          id,
          projectId: monitor.projectId,
          monitorId: monitor.id,
          total: targets.length,
          createdAt: new Date(now()).toISOString().replace("Z", "000+00:00"),
        }),
        wholeTargets(targets.map((target) => target.id)),
        undefined,
        event,
      ),
    organizationOf: async (project) => project,
    now,
  };
};
