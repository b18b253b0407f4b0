import { filtersOf } from "../../../lib/contract/list-query.ts";
import { checkVersionOf, sessionScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { scoreMarks } from "../../../lib/store/scores/stale/marked.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const scores = scoreList(database, sessionScores);
const marks = scoreMarks(database, sessionScores);

export const handler = endpoint(listSessionScores, environmentGate(database), async ({ project, query, paging }) => {
  const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...filters } = query;
  checkVersionOf("name", filters.name, filters.metric_version);
  const filter = filtersOf(sessionScoreParameters, filters);
  const { offset, after } = paging;
  const { items, total, last } = await scores.page(project.id, filter, limit, offset, after, { sortBy, order });
  return paging.page(await marks.all(project.id, items), total, last);
});
