import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { identified } from "../../../lib/domain/traces/identify.ts";
import { saveSent } from "../../../lib/handlers/traces/save-sent.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(createTrace, environmentGate(database), async (request) => {
  const { body, mint, requestId } = request;
  const trace = identified(body, mint);
  await saveSent(traces, starts, request, body, trace);
  return { trace_id: trace.trace_id, task_id: requestId };
});
