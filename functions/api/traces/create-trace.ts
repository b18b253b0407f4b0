import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { identified } from "../../../lib/domain/traces/identify.ts";
import { checkStart, saveSent } from "../../../lib/handlers/traces/save-sent.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(createTrace, environmentGate(database), async (request) => {
  const { body, mint, mintsAnew, once, project, repeat, requestId } = request;
  const trace = identified(body, mint);
  const receipt = { trace_id: trace.trace_id, task_id: mintsAnew ? requestId : mint("task") };
  if (!mintsAnew && body.trace_id !== trace.trace_id) {
    checkStart(trace, starts);
    await traces.saveOnce(project.id, trace, repeat, project.metadataKeys);
    return receipt;
  }
  return await once({ lease: 0 }, async () => {
    await saveSent(traces, starts, request, body, trace);
    return receipt;
  });
});
