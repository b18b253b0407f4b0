import { getSessionScoreSummary } from "../../../lib/contract/scores/analytics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { scoreSummaries } from "../../../lib/store/scores/summaries.ts";

const database = connect();
const summaries = scoreSummaries(database, sessionScores);

export const handler = endpoint(getSessionScoreSummary, environmentGate(database), async ({ project, query }) =>
  summaries(project.id, { from: query.date_from, to: query.date_to }),
);
