import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { traceFilterParametersWithoutDates } from "../../../lib/contract/traces/filters.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentFileDays } from "../../../lib/wiring/file-days.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { filteredAnalytics } from "../../../lib/store/hours/filtered-analytics.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import type { FileDays, FiledNeed } from "../../../lib/store/traces/lists/file-days.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "trace");
const [figures, usage, filtered] = [analyticsFigures(database), analyticsUsage(database), filteredAnalytics(database)];
const [ready, forecast] = [filterResolver(database), rowLimitCheck(database)];
const filesOf = environmentFileDays(database);
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

const needOf = (metric: string): FiledNeed | undefined =>
  ["cost", "tokens", "models"].includes(metric) ? "usage" : undefined;

export const handler = endpoint(getTraceAnalytics, environmentGuard(database), async ({ project, query, warn }) => {
  const { metric, by, granularity, started_after: _, started_before: __, ...parameters } = query;
  const [from, to] = analyticsRangeOf(query, Date.now());
  const buckets = granularity === "all" ? { start: from } : granularity;
  const filters = filtersFromQuery(traceFilterParametersWithoutDates, parameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn);
  if (by !== undefined && metric !== "values") warn("`by` is ignored: it is read with `metric=values` alone.");
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const rangeFilters = { ...filters, date_from: from, date_to: to };
  const filter = await ready.analytics(project.id, rangeFilters);
  const findFiles = async (): Promise<FileDays | null> =>
    (await filesOf?.(project.id, filter, rangeFilters, needOf(metric))) ?? null;
  const files = isFiltered || metric === "values" ? await forecast(project.id, filter, ...bounds, findFiles) : null;
  const readFigures = () => (isFiltered ? filtered.figures(project.id, filter, files) : figures(project.id, from, to));
  const readUsage = () =>
    isFiltered ? filtered.usage(project.id, filter, from, to, files) : usage(project.id, from, to);
  switch (metric) {
    case "volume":
    case "errors":
    case "latency":
      return await figureBuckets(readFigures(), buckets);
    case "cost":
    case "tokens":
      return await usageBuckets(readUsage(), buckets);
    case "models":
      return await topModels(readUsage());
    case "values":
      if (by === undefined) throw invalid(["query", "by"], "Field required", "missing");
      return await filtered.values(project.id, filter, by, files);
    default:
      return metric satisfies never;
  }
});
