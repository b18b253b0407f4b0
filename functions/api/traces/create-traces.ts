import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { traceInput } from "../../../lib/contract/traces/trace-input.ts";
import { withIds } from "../../../lib/domain/traces/input.ts";
import { mergeTraceInputs } from "../../../lib/domain/traces/merge-pieces.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { mapConcurrently } from "../../../lib/async/concurrency.ts";
import { checkStart, saveTrace } from "../../../lib/handlers/traces/save-trace.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { failedItem, limitViolations, parseItem } from "../../../lib/http/traces/item-outcome.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

/** Maximum number of traces stored concurrently. */
const parallel = 10;

/** Runs `work` on the items one after the other. */
const inOrder = async <Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) => {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
};

/** True if no item failed with a 5xx status, so that the reply may be stored and replayed. */
const isFinal = ({ results }: { readonly results: readonly { readonly status: number }[] }): boolean =>
  results.every(({ status }) => status < 500);

export const handler = endpoint(createTraces, environmentGuard(database), async (request) => {
  const { body, idFor, runOnce, requestId } = request;
  const store = async ({ index, trace_id, save }: ReturnType<typeof itemOf>) => {
    try {
      await save();
      return { index, trace_id, status: 202 };
    } catch (error) {
      return { index, trace_id, ...failedItem(error, requestId) };
    }
  };
  const itemOf = (item: unknown, index: number) => {
    try {
      const input = parseItem(traceInput, item);
      const trace = withIds(input, (position) => idFor(`${index} ${position}`));
      const save = () => saveTrace(traces, starts, request, input, trace);
      return { index, trace_id: trace.trace_id, trace, save };
    } catch (error) {
      return { index, trace_id: null, trace: null, save: () => Promise.reject(error) };
    }
  };
  /** Stores the items of one trace as one change, so that its document is read once; each on its own if one of them is refused. */
  const storeGroup = async (group: readonly ReturnType<typeof itemOf>[]) => {
    const sent = group.flatMap(({ trace }) => trace ?? []);
    const [first, ...others] = sent;
    if (first === undefined || others.length === 0) return await inOrder(group, store);
    const merged = others.reduce(mergeTraceInputs, first);
    const save = async (): Promise<void> => {
      for (const trace of sent) checkStart(trace, starts);
      await saveTrace(traces, starts, request, merged, merged);
    };
    const { status, ...outcome } = await store({ index: 0, trace_id: first.trace_id, trace: merged, save });
    const isRefused = status >= 400 && status < 500;
    if (isRefused) return await inOrder(group, store);
    return group.map(({ index }) => ({ ...outcome, index, status }));
  };
  return await runOnce({ lease: 0, isFinal }, async () => {
    const items = body.traces.map(itemOf);
    const sameTrace = Map.groupBy(items, ({ index, trace_id }) => trace_id ?? index);
    const results = await mapConcurrently(sameTrace.values(), parallel, storeGroup);
    return { results: limitViolations(results.flat().toSorted((a, b) => a.index - b.index)) };
  });
});
