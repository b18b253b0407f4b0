import { filtersOf } from "../../../lib/contract/list-query.ts";
import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { traceChoiceParameters } from "../../../lib/contract/traces/filters.ts";
import { checkDeclared } from "../../../lib/domain/traces/declared.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { readyFilters } from "../../../lib/store/scores/newest/ready-filters.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";

const database = connect();
const analytics = sessionAnalytics(database, Date.now, undefined, undefined, newestValues(database, "trace"));
const [forecast, ready] = [rowForecast(database), readyFilters(database)];

export const handler = endpoint(getSessionAnalytics, environmentGate(database), async ({ project, query }) => {
  const { started_after: _, started_before: __, granularity, ...parameters } = query;
  const [from, to] = analyticsRangeOf(query, Date.now());
  const filters = filtersOf(traceChoiceParameters, parameters);
  checkDeclared(filters.metadata, project.metadataKeys, (key) => ["query", `metadata.${key}`]);
  const filter = await ready.traces(project.id, { ...filters, date_from: from, date_to: to });
  await forecast(project.id, { from, to }, ["query", "started_after"], "started_after and started_before");
  return await analytics(project.id, from, to, granularity, filter);
});
