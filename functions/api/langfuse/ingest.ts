import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import { unreadNote } from "../../../lib/domain/telemetry-notes.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { eventImporter } from "../../../lib/handlers/langfuse/import-events.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const importEvents = eventImporter(database, environmentTraces(database), traceStarts());

export const handler = endpoint(ingestLangfuse, environmentGuard(database), ({ body, runOnce, ...request }) =>
  runOnce({ lease: 0 }, () => {
    const note = unreadNote("the body", [body], ["batch", "metadata"]);
    if (note !== null) request.warn(note);
    return importEvents(body.batch, request);
  }),
);
