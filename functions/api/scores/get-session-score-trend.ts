import { getSessionScoreTrend } from "../../../lib/contract/scores/analytics.ts";
import { trendOf } from "../../../lib/domain/scores/summary.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const figures = scoreFigures(database, sessionScores);

export const handler = endpoint(getSessionScoreTrend, environmentGate(database), async ({ project, query }) => {
  const { metric_name: name, date_from: from, date_to: to, granularity } = query;
  return trendOf(name, await figures.read(project.id, { name, from, to }), granularity);
});
