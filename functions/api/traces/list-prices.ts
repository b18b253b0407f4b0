import { listPrices } from "../../../lib/contract/traces/prices.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { pagedReply } from "../../../lib/http/paging.ts";
import { priceEntries } from "../../../lib/prices/trace-prices.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { operatorTracePrices } from "../../../lib/wiring/trace-prices.ts";

const prices = priceEntries(operatorTracePrices()).map((priceEntry) => {
  const {
    readOn: read_on,
    above = 0,
    hours = "",
    tiers = {},
    audioCached,
    audioOutput,
    writtenHour,
    ...entry
  } = priceEntry;
  return Object.assign(entry, {
    audio: entry.audio ?? null,
    audio_cached: audioCached ?? null,
    audio_output: audioOutput ?? null,
    written_1h: writtenHour ?? null,
    prompt_above: above === 0 ? null : above,
    hours: hours === "" ? null : hours,
    service_tiers: Object.entries(tiers).map(([tier, [share, cached_share]]) => ({ tier, share, cached_share })),
    read_on,
  });
});
const places = new Map(prices.map((price, place) => [price, place]));

export const handler = endpoint(listPrices, environmentGuard(connect()), async ({ paging }) =>
  pagedReply(paging, prices, (price) => ({ key: places.get(price) ?? 0, id: price.model }), "asc"),
);
