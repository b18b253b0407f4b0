import { connect } from "../../lib/store/database.ts";
import { latestSessionScores } from "../../lib/store/latest-session-scores.ts";
import { livingProjects } from "../../lib/store/living-projects.ts";
import { scoreStatistics } from "../../lib/store/score-statistics.ts";
import { scoreWindow } from "../../lib/stream/score-window.ts";

const database = connect();

export const handler = scoreWindow(scoreStatistics(database), latestSessionScores(database), livingProjects(database));
