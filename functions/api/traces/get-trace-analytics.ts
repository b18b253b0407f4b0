import { filtersOf } from "../../../lib/contract/list-query.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { traceChoiceParameters } from "../../../lib/contract/traces/filters.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { checkDeclared } from "../../../lib/domain/traces/declared.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { filteredAnalytics } from "../../../lib/store/hours/filtered.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import { connect } from "../../../lib/store/database.ts";
import { readyFilters } from "../../../lib/store/scores/newest/ready-filters.ts";

const database = connect();
const [figures, usage, filtered] = [analyticsFigures(database), analyticsUsage(database), filteredAnalytics(database)];
const [ready, forecast] = [readyFilters(database), rowForecast(database)];
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

export const handler = endpoint(getTraceAnalytics, environmentGate(database), async ({ project, query }) => {
  const { metric, granularity, started_after: _, started_before: __, ...parameters } = query;
  const [from, to] = analyticsRangeOf(query, Date.now());
  const filters = filtersOf(traceChoiceParameters, parameters);
  checkDeclared(filters.metadata, project.metadataKeys, (key) => ["query", `metadata.${key}`]);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const filter = await ready.traces(project.id, { ...filters, date_from: from, date_to: to });
  if (isFiltered) await forecast(project.id, filter, ...bounds);
  const told = () => (isFiltered ? filtered.figures(project.id, filter) : figures(project.id, from, to));
  const used = () => (isFiltered ? filtered.usage(project.id, filter, from, to) : usage(project.id, from, to));
  switch (metric) {
    case "volume":
    case "errors":
    case "latency":
      return await figureBuckets(told(), granularity);
    case "cost":
    case "tokens":
      return await usageBuckets(used(), granularity);
    case "models":
      return await topModels(used());
    default:
      return metric satisfies never;
  }
});
