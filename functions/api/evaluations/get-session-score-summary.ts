import { getSessionScoreSummary } from "../../../lib/contract/score-analytics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/score-kind.ts";
import { scoreSummaries } from "../../../lib/store/score-summaries.ts";

const database = connect();
const summaries = scoreSummaries(database, sessionScores);

export const handler = endpoint(getSessionScoreSummary, environmentGate(database), async ({ project, query }) =>
  summaries(project.id, { from: query.date_from, to: query.date_to }),
);
