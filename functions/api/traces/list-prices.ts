import { listPrices } from "../../../lib/contract/traces/prices.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { priceEntries } from "../../../lib/judge/prices/trace-prices.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { ownTracePrices } from "../../../lib/wiring/trace-prices.ts";

const entries = priceEntries(ownTracePrices());

export const handler = endpoint(listPrices, environmentGate(connect()), async ({ paging }) => {
  const end = paging.offset + paging.limit;
  const shown = entries
    .slice(paging.offset, end)
    .map(({ readOn, ...entry }) => Object.assign(entry, { read_on: readOn }));
  // The list changes with a deployment only: a number says where a page begins.
  return paging.page(shown, entries.length, end < entries.length ? { key: null, id: "" } : null);
});
