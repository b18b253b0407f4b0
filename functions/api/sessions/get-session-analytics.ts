import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { analyticsRangeOf } from "../../../lib/domain/analytics/analytics-range.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";

const database = connect();
const [analytics, forecast] = [sessionAnalytics(database), rowForecast(database)];

export const handler = endpoint(getSessionAnalytics, environmentGate(database), async ({ project, query }) => {
  const [from, to] = analyticsRangeOf(query, Date.now());
  await forecast(project.id, { from, to }, ["query", "started_after"], "started_after and started_before");
  return await analytics(project.id, from, to, query.granularity);
});
