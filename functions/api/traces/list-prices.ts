import { listPrices } from "../../../lib/contract/traces/prices.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { priceEntries } from "../../../lib/judge/prices/trace-prices.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { ownTracePrices } from "../../../lib/wiring/trace-prices.ts";

const entries = priceEntries(ownTracePrices());

export const handler = endpoint(listPrices, environmentGate(connect()), async ({ query: { limit, offset } }) => ({
  items: entries.slice(offset, offset + limit).map(({ readOn, ...entry }) => Object.assign(entry, { read_on: readOn })),
  total: entries.length,
  limit,
  offset,
}));
