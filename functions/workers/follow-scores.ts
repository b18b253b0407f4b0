import { counterStore } from "../../lib/store/totals/counters.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { latestSessionScores } from "../../lib/store/scores/latest-of-session.ts";
import { newestScores } from "../../lib/store/scores/newest.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import { scoreStatistics } from "../../lib/store/scores/statistics.ts";
import { scoreWindow } from "../../lib/stream/score-window.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();

/** Updates score statistics and the newest scores per target, from the records of a table stream. */
export const handler = withStreamLag(
  "follow-scores",
  scoreWindow(
    scoreStatistics(database),
    latestSessionScores(database),
    newestScores(database),
    counterStore(database),
    existingProjects(database),
  ),
);
