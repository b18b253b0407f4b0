import { getSessionAnalytics } from "../../../lib/contract/sessions/analytics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionAnalytics } from "../../../lib/store/sessions/analytics.ts";

const database = connect();
const analytics = sessionAnalytics(database);

export const handler = endpoint(getSessionAnalytics, environmentGate(database), ({ project, query }) =>
  analytics(project.id, query.started_after, query.started_before, query.granularity),
);
