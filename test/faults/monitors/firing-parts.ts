import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { FiringParts } from "../../../lib/monitors/fire.ts";
import type { Database } from "../../../lib/store/database.ts";
import { firingStore } from "../../../lib/store/monitors/firings.ts";
import { snapshotMarks } from "../../../lib/store/monitors/marks.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { someOrder } from "../../support/runs/runs.ts";
import type { VirtualClock } from "../virtual-clock.ts";

/** What a worker that fires monitors works with; how it finds what matches is not what is tried. */
export const firingPartsOn = (
  database: Database,
  matching: FiringParts["matching"],
  { now }: Pick<VirtualClock, "now">,
): FiringParts => {
  const [runs, create] = [runStore(database, now), runCreation(database, now)];
  return {
    monitors: monitorStore(database, now),
    firings: firingStore(database, now),
    marks: snapshotMarks(database, now),
    matching,
    runOf: async (project, run) => {
      const stored = await runs.read(project, run);
      return stored === null || stored.creating ? null : stored.run;
    },
    start: ({ id, monitor, targets }) =>
      create(
        someOrder({
          id,
          projectId: monitor.projectId,
          monitorId: monitor.id,
          total: targets.length,
          createdAt: new Date(now()).toISOString().replace("Z", "000+00:00"),
        }),
        wholeTargets(targets.map((target) => target.id)),
      ),
    isAlive: async () => true,
    now,
  };
};
