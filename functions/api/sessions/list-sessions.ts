import { filtersFromQuery, splitScoredListQuery } from "../../../lib/contract/list-query.ts";
import { sessionFilterParameters } from "../../../lib/contract/sessions/filters.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { splitSessionFilters } from "../../../lib/domain/sessions/filter.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentFileDays } from "../../../lib/wiring/file-days.ts";
import { listedSession } from "../../../lib/http/sessions/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { sortValueCheck } from "../../../lib/store/scores/units/types.ts";
import { includedScoreReader } from "../../../lib/store/scores/newest/included.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { scoredSessionList } from "../../../lib/store/scores/newest/scored-sessions.ts";
import type { FileDays } from "../../../lib/store/traces/lists/file-days.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "session");
const [list, forecast, ready] = [scoredSessionList(database), rowLimitCheck(database), filterResolver(database)];
const filesOf = environmentFileDays(database);
const bounds = [["query", "started_after"], "started_after and started_before"] as const;
const [scoresOf, checkValues] = [includedScoreReader(database, "session"), sortValueCheck(database, "session")];

export const handler = endpoint(listSessions, environmentGuard(database), async ({ project, query, paging, warn }) => {
  const { sortBy, order, scoreNames, giver, withScores, parameters } = splitScoredListQuery(query);
  await checkValues(project.id, scoreNames[0], warn);
  const filters = filtersFromQuery(sessionFilterParameters, parameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn, scoreNames);
  const filter = await ready.sessions(project.id, filters, scoreNames, giver);
  const findFiles = async (): Promise<FileDays | null> =>
    filter.scores === null
      ? ((await filesOf?.(project.id, filter.traces, splitSessionFilters(filters).traces)) ?? null)
      : null;
  const files = await forecast(project.id, filter.traces, ...bounds, findFiles);
  const listRequest = { filter, sortBy, order, ...paging, sortScore: scoreNames[0], files };
  const { sessions, total, last } = await list(project.id, listRequest);
  const incarnations = sessions.map(({ sessionId: id }) => ({ id, incarnation: null }));
  const scores = withScores ? await scoresOf(project.id, incarnations, giver) : [];
  return paging.page(
    sessions.map((session, index) => listedSession(session, scores[index])),
    total,
    last,
  );
});
