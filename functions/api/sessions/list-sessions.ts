import { filtersOf, scoredListOf } from "../../../lib/contract/list-query.ts";
import { sessionFilterParameters } from "../../../lib/contract/sessions/filters.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { checkDeclared } from "../../../lib/domain/traces/declared.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { listedSession } from "../../../lib/http/sessions/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { includedScores } from "../../../lib/store/scores/newest/included.ts";
import { readyFilters } from "../../../lib/store/scores/newest/ready-filters.ts";
import { scoredSessionList } from "../../../lib/store/scores/newest/scored-sessions.ts";

const database = connect();
const [list, forecast, ready] = [scoredSessionList(database), rowForecast(database), readyFilters(database)];
const scoresOf = includedScores(database, "session");

export const handler = endpoint(listSessions, environmentGate(database), async ({ project, query, paging }) => {
  const { sortBy, order, scoreNames, withScores, parameters } = scoredListOf(query);
  const filters = filtersOf(sessionFilterParameters, parameters);
  checkDeclared(filters.metadata, project.metadataKeys, (key) => ["query", `metadata.${key}`]);
  const filter = await ready.sessions(project.id, filters, scoreNames);
  await forecast(project.id, filter.traces, ["query", "started_after"], "started_after and started_before");
  const asked = { filter, sortBy, order, ...paging, sortScore: scoreNames[0] };
  const { sessions, total, last } = await list(project.id, asked);
  const lives = sessions.map(({ sessionId: id }) => ({ id, incarnation: null }));
  const scores = withScores ? await scoresOf(project.id, lives) : [];
  return paging.page(
    sessions.map((session, index) => listedSession(session, scores[index])),
    total,
    last,
  );
});
