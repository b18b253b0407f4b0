import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { traceInput } from "../../../lib/contract/traces/trace-input.ts";
import { identified } from "../../../lib/domain/traces/identify.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { sideBySide } from "../../../lib/async/side-by-side.ts";
import { saveSent } from "../../../lib/handlers/traces/save-sent.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { failedItem, listed, parseItem } from "../../../lib/http/traces/item-outcome.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const traces = environmentTraces(database);
const starts = traceStarts();

/** Traces stored at a time. */
const parallel = 10;

const inOrder = async <Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) => {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
};

/** What may be sent again is not the last word. */
const keeps = ({ results }: { readonly results: readonly { readonly status: number }[] }): boolean =>
  results.every(({ status }) => status < 500);

export const handler = endpoint(createTraces, environmentGate(database), async (request) => {
  const { body, mint, once, requestId } = request;
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
      const sent = parseItem(traceInput, item);
      const trace = identified(sent, (position) => mint(`${index} ${position}`));
      const save = () => saveSent(traces, starts, request, sent, trace);
      return { index, trace_id: trace.trace_id, save };
    } catch (error) {
      return { index, trace_id: null, save: () => Promise.reject(error) };
    }
  };
  return await once({ lease: 0, keeps }, async () => {
    const items = body.traces.map(itemOf);
    const sameTrace = Map.groupBy(items, ({ index, trace_id }) => trace_id ?? index);
    const results = await sideBySide(sameTrace.values(), parallel, (group) => inOrder(group, store));
    return { results: listed(results.flat().toSorted((a, b) => a.index - b.index)) };
  });
});
