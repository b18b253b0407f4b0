import { getTraceScoreDistribution } from "../../../lib/contract/scores/analytics.ts";
import { distributionOf } from "../../../lib/domain/scores/distribution.ts";
import { addStatistics } from "../../../lib/domain/scores/statistics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const figures = scoreFigures(database, traceScores);

export const handler = endpoint(getTraceScoreDistribution, environmentGate(database), async ({ project, query }) => {
  const { metric_name: name, date_from: from, date_to: to, buckets } = query;
  const parts = await figures.read(project.id, { name, from, to });
  return distributionOf(addStatistics(parts.map(({ statistics }) => statistics)), buckets);
});
