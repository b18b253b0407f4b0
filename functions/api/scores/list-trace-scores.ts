import { filtersOf } from "../../../lib/contract/list-query.ts";
import { checkVersionOf, traceScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { scoreMarks } from "../../../lib/store/scores/stale/marked.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const scores = traceScoreList(database);
const marks = scoreMarks(database, traceScores);

export const handler = endpoint(listTraceScores, environmentGate(database), async ({ project, query, paging }) => {
  const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...filters } = query;
  checkVersionOf("name", filters.name, filters.metric_version);
  const filter = filtersOf(traceScoreParameters, filters);
  const { offset, after } = paging;
  const { items, total, last } = await scores.page(project.id, filter, limit, offset, after, { sortBy, order });
  return paging.page(await marks.all(project.id, items), total, last);
});
