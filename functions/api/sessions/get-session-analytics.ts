import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { traceFilterParametersWithoutDates } from "../../../lib/contract/traces/filters.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentFileDays } from "../../../lib/wiring/file-days.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "trace");
const analytics = sessionAnalytics(database, Date.now, undefined, undefined, newestValues(database, "trace"));
const filesOf = environmentFileDays(database);
const [forecast, ready] = [rowLimitCheck(database), filterResolver(database)];

export const handler = endpoint(getSessionAnalytics, environmentGuard(database), async ({ project, query, warn }) => {
  const { started_after: _, started_before: __, granularity, ...parameters } = query;
  const [from, to] = analyticsRangeOf(query, Date.now());
  const filters = filtersFromQuery(traceFilterParametersWithoutDates, parameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn);
  const rangeFilters = { ...filters, date_from: from, date_to: to };
  const filter = await ready.analytics(project.id, rangeFilters);
  const findFiles = async () => (await filesOf?.(project.id, filter, rangeFilters)) ?? null;
  const files = await forecast(
    project.id,
    filter,
    ["query", "started_after"],
    "started_after and started_before",
    findFiles,
  );
  return await analytics(project.id, from, to, granularity, filter, files);
});
