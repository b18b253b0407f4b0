import type { listSessionScores } from "../../contract/scores/session-scores.ts";
import type { listTraceScores } from "../../contract/scores/trace-scores.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { emptyReplyCheck } from "../../http/metrics/unknown-score.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import type { ScoreLists } from "../../store/scores/list.ts";
import { stalenessReader } from "../../store/scores/stale/with-staleness.ts";
import { filteredTargets } from "./counted-scores.ts";

type ListRequest = HandlerRequest<typeof listTraceScores> | HandlerRequest<typeof listSessionScores>;

/** Returns a function that answers a list of scores, with their staleness. @param scores reads the pages. */
export const scorePages = <S extends TraceScore | SessionScore>(
  database: Database,
  kind: ScoreKind<S>,
  scores: Pick<ScoreLists<S>, "page">,
) => {
  const checkName = emptyReplyCheck(database, kind.target);
  const targetsOf = filteredTargets(database, kind.target);
  const staleness = stalenessReader(database, kind);

  return async (
    { project, query, paging, warn }: ListRequest,
    ownFilter: ScoreFilters,
    traceFilters: TraceFilters | null,
  ) => {
    const { sort_by: sortBy, sort_order: order } = query;
    const { name, date_from, date_to } = ownFilter;
    const request = traceFilters === null ? null : { filters: traceFilters, scored: { name, date_from, date_to } };
    const filter = request === null ? ownFilter : { ...ownFilter, targets: await targetsOf(project, request, warn) };
    const { limit, offset, after } = paging;
    const { items, total, last } = await scores.page(project.id, filter, limit, offset, after, { sortBy, order });
    await checkName(project.id, name, items, warn);
    return paging.page(await staleness.all(project.id, items), total, last);
  };
};
