import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { eventImporter } from "../../../lib/handlers/langfuse/import-events.ts";
import { warnOfUnread } from "../../../lib/handlers/langfuse/warn-of-unread.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const importEvents = eventImporter(database, environmentTraces(database), traceStarts());

export const handler = endpoint(ingestLangfuse, environmentGuard(database), ({ body, runOnce, ...request }) =>
  runOnce({ lease: 0 }, () => {
    warnOfUnread({ body, warn: request.warn }, ingestLangfuse.body);
    return importEvents(body.batch, request);
  }),
);
