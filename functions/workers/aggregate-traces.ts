import { hourRefresh } from "../../lib/maintenance/refresh-hours.ts";
import { changedSegments } from "../../lib/store/sessions/changed-segments.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { hourRollups } from "../../lib/store/hours/rollups.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import { pendingMarkers } from "../../lib/store/hours/pending-markers.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { traceWindow } from "../../lib/stream/trace-window.ts";

const database = connect();

/** Updates trace counters and hourly rollups, from the records of a table stream. */
export const handler = withStreamLag(
  "aggregate-traces",
  traceWindow(
    traceCounts(database),
    changedSegments(database),
    hourRefresh(hourRollups(database), pendingMarkers(database, "hours")),
    existingProjects(database),
  ),
);
