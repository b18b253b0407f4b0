import { counterStore } from "../../lib/store/counters.ts";
import { connect } from "../../lib/store/database.ts";
import { latestSessionScores } from "../../lib/store/scores/latest-of-session.ts";
import { newestScores } from "../../lib/store/scores/newest.ts";
import { livingProjects } from "../../lib/store/access/living-projects.ts";
import { scoreStatistics } from "../../lib/store/scores/statistics.ts";
import { scoreWindow } from "../../lib/stream/score-window.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();

export const handler = withStreamLag(
  "follow-scores",
  scoreWindow(
    scoreStatistics(database),
    latestSessionScores(database),
    newestScores(database),
    counterStore(database),
    livingProjects(database),
  ),
);
