import { filtersOf } from "../../../lib/contract/list-query.ts";
import { traceScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const scores = traceScoreList(database);

export const handler = endpoint(listTraceScores, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, ...filters } = query;
  const filter = filtersOf(traceScoreParameters, filters);
  return { ...(await scores.page(project.id, filter, limit, offset)), limit, offset };
});
