import { hourRefresh } from "../../lib/upkeep/refresh-hours.ts";
import { changedSegments } from "../../lib/store/sessions/changed-segments.ts";
import { connect } from "../../lib/store/database.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { livingProjects } from "../../lib/store/access/living-projects.ts";
import { pendingMarks } from "../../lib/store/hours/pending-marks.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { traceWindow } from "../../lib/stream/trace-window.ts";

const database = connect();

export const handler = withStreamLag(
  "aggregate-traces",
  traceWindow(
    traceCounts(database),
    changedSegments(database),
    hourRefresh(hourRollups(database), pendingMarks(database, "hours")),
    livingProjects(database),
  ),
);
