import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { withIds } from "../../../lib/domain/traces/input.ts";
import { checkStart, saveTrace } from "../../../lib/handlers/traces/save-trace.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

export const handler = endpoint(createTrace, environmentGuard(database), async (request) => {
  const { body, idFor, hasRandomIds, runOnce, project, idempotency, requestId } = request;
  const trace = withIds(body, idFor);
  const receipt = { trace_id: trace.trace_id, task_id: hasRandomIds ? requestId : idFor("task") };
  if (!hasRandomIds && body.trace_id !== trace.trace_id) {
    checkStart(trace, starts);
    await traces.saveIdempotent(project, trace, idempotency);
    return receipt;
  }
  return await runOnce({ lease: 0 }, async () => {
    await saveTrace(traces, starts, request, body, trace);
    return receipt;
  });
});
