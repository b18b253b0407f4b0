import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { figureBuckets, topModels, usageBuckets } from "../../../lib/domain/analytics/trace-analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { analyticsFigures } from "../../../lib/store/hours/figures.ts";
import { analyticsUsage } from "../../../lib/store/hours/usage.ts";
import { connect } from "../../../lib/store/database.ts";

const database = connect();
const [figures, usage] = [analyticsFigures(database), analyticsUsage(database)];

export const handler = endpoint(getTraceAnalytics, environmentGate(database), async ({ project, query }) => {
  const { metric, granularity } = query;
  const range = [project.id, ...analyticsRangeOf(query, Date.now())] as const;
  switch (metric) {
    case "volume":
    case "errors":
    case "latency":
      return await figureBuckets(figures(...range), granularity);
    case "cost":
    case "tokens":
      return await usageBuckets(usage(...range), granularity);
    case "models":
      return await topModels(usage(...range));
    default:
      return metric satisfies never;
  }
});
