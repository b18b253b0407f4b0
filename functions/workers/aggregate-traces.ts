import { hourRefresh } from "../../lib/analytics/refresh-hours.ts";
import { connect } from "../../lib/store/database.ts";
import { hourRollups } from "../../lib/store/hour-rollups.ts";
import { livingProjects } from "../../lib/store/living-projects.ts";
import { pendingMarks } from "../../lib/store/pending-marks.ts";
import { traceCounts } from "../../lib/store/trace-counts.ts";
import { traceWindow } from "../../lib/stream/trace-window.ts";

const database = connect();

export const handler = traceWindow(
  traceCounts(database),
  hourRefresh(hourRollups(database), pendingMarks(database, "hours")),
  livingProjects(database),
);
