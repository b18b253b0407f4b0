import { getSessionAnalytics } from "../../../lib/contract/session-analytics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionAnalytics } from "../../../lib/store/session-analytics.ts";

const database = connect();
const analytics = sessionAnalytics(database);

export const handler = endpoint(getSessionAnalytics, environmentGate(database), ({ project, query }) =>
  analytics(project.id, query.started_after, query.started_before, query.granularity),
);
