import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { filtersFromQuery, splitScoredListQuery } from "../../../lib/contract/list-query.ts";
import { sessionFilterParameters } from "../../../lib/contract/sessions/filters.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { getSession, listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTrace, listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { sessionFilter } from "../../../lib/domain/sessions/filter.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { traceListReply, traceReply, userReply } from "../../../lib/http/traces/reply.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";
import { sessionList } from "../../../lib/store/sessions/list.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";
import { storeRoute, type StoreRoute } from "../store-service.ts";

/** Routes that read traces, users, sessions and analytics, answered by the stores. */
export const readRoutes = (database: Database, project: string, now: () => number): readonly StoreRoute[] => {
  const traces = traceReader(database, now);
  const [figures, usage] = [analyticsFigures(database, now), analyticsUsage(database, now)];
  const sessionFigures = sessionAnalytics(database, now);
  const [list, users] = [traceList(database, now), userList(database, now)];
  const names = projectNames(database);
  const [sessions, session] = [sessionList(database, now), sessionDetail(database, now)];
  return [
    storeRoute(getTraceAnalytics, async ({ query: { metric, granularity, started_after, started_before } }) => {
      const range = [project, ...analyticsRangeOf({ started_after, started_before }, now())] as const;
      const buckets = granularity === "all" ? { start: range[1] } : granularity;
      if (metric === "models") return await topModels(usage(...range));
      const isUsage = metric === "cost" || metric === "tokens";
      return isUsage ? await usageBuckets(usage(...range), buckets) : await figureBuckets(figures(...range), buckets);
    }),
    storeRoute(getSessionAnalytics, ({ query }) =>
      sessionFigures(project, ...analyticsRangeOf(query, now()), query.granularity),
    ),
    storeRoute(listTraces, async ({ query, paging }) => {
      const { q: _, ...rowQuery } = query;
      const { sortBy, order, parameters } = splitScoredListQuery(rowQuery);
      const filters = filtersFromQuery(traceFilterParameters, parameters);
      const filter = traceFilter(filters, await names.find(project, filters));
      const { rows, total, last } = await list.list(project, { filter, sortBy, order, ...paging });
      return paging.page(
        rows.map((row) => traceListReply(row)),
        total,
        last,
      );
    }),
    storeRoute(listUsers, async ({ paging: { limit, offset, after, page } }) => {
      const userPage = await users(project, limit, offset, after);
      return page(userPage.users.map(userReply), userPage.total, userPage.last);
    }),
    storeRoute(listSessions, async ({ query, paging }) => {
      const { sortBy, order, parameters } = splitScoredListQuery(query);
      const filters = filtersFromQuery(sessionFilterParameters, parameters);
      const filter = sessionFilter(filters, await names.find(project, filters));
      const sessionPage = await sessions(project, { filter, sortBy, order, ...paging });
      return paging.page(sessionPage.sessions.map(sessionReply), sessionPage.total, sessionPage.last);
    }),
    storeRoute(getSession, async ({ params, query }) => {
      const sessionDetails = await session(project, params.session_id, query.limit, query.offset);
      if (sessionDetails === null) throw notFound("session");
      const replies: unknown[] = [];
      for await (const trace of (await sessionDetails.read())?.traces ?? []) replies.push(traceReply(project, trace));
      return { ...sessionReply(sessionDetails.session), traces: replies };
    }),
    storeRoute(getTrace, async ({ params }) => {
      const storedTrace = await traces.get(project, params.trace_id);
      if (storedTrace === null) throw notFound("trace");
      return traceReply(project, storedTrace.trace);
    }),
  ];
};
