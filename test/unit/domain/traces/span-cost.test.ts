import { expect, test } from "vitest";
import type { IdentifiedSpan } from "../../../../lib/domain/traces/input.ts";
import { mergeSpans, mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { modelPrice, type DatedPrices } from "../../../../lib/domain/traces/model-price.ts";
import { patchSpan } from "../../../../lib/domain/traces/patch.ts";
import {
  pricedSpans,
  pricedUpdate,
  costOfSpan,
  newerPrices,
  repricedSpans,
} from "../../../../lib/domain/traces/span-cost.ts";
import { isExact, totalCost, contributionsOf } from "../../../../lib/domain/traces/totals.ts";
import { spanFactsOf } from "../../../../lib/domain/traces/facts.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";

const started_at = "2026-11-21T09:00:00+00:00";
const prices = (fields: Partial<DatedPrices> = {}): DatedPrices => ({
  input: 2,
  output: 10,
  cached: 0.5,
  written: 2.5,
  reasoning: 12,
  from: null,
  ...fields,
});

const priceList: Readonly<Record<string, readonly DatedPrices[]>> = {
  known: [prices()],
  dated: [prices({ from: "2026-06-01T00:00:00+00:00" }), prices({ input: 4, from: "2026-11-01T00:00:00+00:00" })],
  cheap: [prices({ input: 1 })],
  flexible: [prices({ tiers: { flex: [0.5, 1] } })],
  tiered: [
    prices(),
    prices({ input: 4, cached: 1, output: 15, above: 200_000 }),
    prices({ from: "2026-12-01T00:00:00+00:00" }),
  ],
};
const priceOf = (model: string) => {
  const listedPrice = priceList[model];
  return listedPrice === undefined ? undefined : modelPrice(listedPrice);
};

const call = (fields: Partial<IdentifiedSpan>): IdentifiedSpan => ({
  span_id: "s",
  name: "chat",
  started_at,
  ...fields,
});
const storeSpan = (...updates: readonly IdentifiedSpan[]): Span => {
  const [span] = mergeSpans([], pricedSpans(updates, priceOf));
  if (span === undefined) throw new Error("There is no span.");
  return span;
};
const usage = { prompt_tokens: 1000, completion_tokens: 100 };
const source = "price_list";

test.each([
  ["plain tokens", usage, { input: 0.002, output: 0.001 }],
  [
    "tokens read from the cache and written to it",
    { ...usage, cache_read_tokens: 600, cache_write_tokens: 200 },
    { input: 0.0012, output: 0.001 },
  ],
  ["reasoning tokens", { ...usage, reasoning_tokens: 40 }, { input: 0.002, output: 0.00108 }],
  [
    "counts among the details, as OpenAI tells them",
    { ...usage, prompt_tokens_details: { cached_tokens: 600 }, completion_tokens_details: { reasoning_tokens: 40 } },
    { input: 0.0011, output: 0.00108 },
  ],
  [
    "a cache's tokens that stand beside the prompt's",
    { prompt_tokens: 100, completion_tokens: 100, cache_read_input_tokens: 1000 },
    { input: 0.0007, output: 0.001 },
  ],
  [
    "counts that are no counts",
    { ...usage, cache_read_tokens: -5, cache_write_tokens: "many", reasoning_tokens: null },
    { input: 0.002, output: 0.001 },
  ],
  [
    "counts beyond what a trace may have",
    { ...usage, cache_read_tokens: 1e308, cache_write_tokens: 2 ** 53, reasoning_tokens: 1e308 },
    { input: 0.002, output: 0.001 },
  ],
  ["a single token", { prompt_tokens: 1 }, { input: 0.000002, output: 0 }],
])("%s cost the amount of the price list", (_, token_usage, { input, output }) => {
  const span = storeSpan(call({ model: "known", token_usage }));

  const total = Math.round((input + output) * 1e12) / 1e12;
  expect(costOfSpan(span)).toEqual({ input, output, total, source });
  expect(totalCost(contributionsOf([span]))).toBe(total);
  expect(isExact([span], contributionsOf([span]))).toBe(true);
});

test.each([
  ["a model that no list has", { model: "unknown", token_usage: usage }],
  ["tokens without a model", { token_usage: usage }],
  ["a model without tokens", { model: "known" }],
  ["no tokens at all", { model: "known", token_usage: { prompt_tokens: 0, total_tokens: 7 } }],
  [
    "a call before the model's first price",
    { model: "dated", token_usage: usage, started_at: "2026-05-31T23:59:59+00:00" },
  ],
])("%s has no cost", (_, spanFields) => {
  expect(costOfSpan(storeSpan(call(spanFields)))).toBeNull();
});

test("the client's cost wins, also a cost of zero; the client's other cost fields are kept beside the list's amount", () => {
  const costing = (cost: IdentifiedSpan["cost"]) =>
    costOfSpan(storeSpan(call({ model: "known", token_usage: usage, ...(cost !== undefined && { cost }) })));

  expect(costing({ total: 7, currency: "EUR" })).toEqual({ total: 7, currency: "EUR" });
  expect(costing({ total: 0 })).toEqual({ total: 0 });
  expect(costing({ input: 3 })).toEqual({ input: 3, total: 3 });
  expect(costing({ currency: "USD", total: null })).toEqual({
    currency: "USD",
    input: 0.002,
    output: 0.001,
    total: 0.003,
    source,
  });
});

test("a price applies from its date on, by the call's start", () => {
  const input = (at: string) =>
    costOfSpan(storeSpan(call({ model: "dated", token_usage: usage, started_at: at })))?.["input"];

  expect(input("2026-06-01T00:00:00+00:00")).toBe(0.002);
  expect(input("2026-10-31T23:59:59.999999+00:00")).toBe(0.002);
  expect(input("2026-11-01T00:00:00+00:00")).toBe(0.004);
});

test.each([
  ["the tokens after the model", [call({ model: "known" }), call({ token_usage: usage })], 0.003],
  ["the model after the tokens", [call({ token_usage: usage }), call({ model: "known" })], 0.003],
  ["another model", [call({ model: "known", token_usage: usage }), call({ model: "cheap" })], 0.002],
  ["a model without a price", [call({ model: "known", token_usage: usage }), call({ model: "x" })], 0],
  [
    "other tokens",
    [call({ model: "known", token_usage: usage }), call({ token_usage: { prompt_tokens: 500 } })],
    0.001,
  ],
  [
    "another start",
    [call({ model: "dated", token_usage: usage }), call({ started_at: "2026-10-01T00:00:00+00:00" })],
    0.003,
  ],
  ["the client's cost", [call({ model: "known", token_usage: usage }), call({ cost: { total: 7 } })], 7],
  ["a model after the client's cost", [call({ cost: { total: 7 } }), call({ model: "known", token_usage: usage })], 7],
] as const)("a span that arrives in two parts costs the sum of both: %s", (_, spanParts, total) => {
  expect(totalCost(contributionsOf([storeSpan(...spanParts)]))).toBe(total);
});

test("a model that is sent again keeps its price, even if the list has changed", () => {
  const firstUpdate = call({ model: "known", token_usage: usage });
  const [span] = mergeSpans(
    [storeSpan(firstUpdate)],
    pricedSpans([firstUpdate], () => modelPrice([prices({ input: 50 })])),
  );

  expect(span).toEqual(storeSpan(firstUpdate));
});

test("a patch of the model, the tokens or the cost is priced again, and a cleared client's cost is replaced by the list's", () => {
  const before = storeSpan(call({ model: "known", token_usage: usage }));
  const after = (update: Parameters<typeof pricedUpdate>[0], span = before) => {
    const trace = { ...mergeTrace(null, { trace_id: "t", name: "x", started_at }), spans: [span] };
    return patchSpan(trace, "s", pricedUpdate(update, priceOf)).spans[0] ?? span;
  };
  const total = (span: Span) => totalCost(contributionsOf([span]));

  expect(total(after({ model: "cheap" }))).toBe(0.002);
  expect(after({ model: "unknown" })).not.toHaveProperty("price");
  expect(total(after({ model: null }))).toBe(0);
  expect(total(after({ token_usage: { completion_tokens: 1 } }))).toBe(0.00001);
  const spanWithTotal = after({ cost: { total: 7 } });
  expect([total(spanWithTotal), total(after({ cost: null }, spanWithTotal))]).toEqual([7, 0.003]);
});

test("a call recorded by two instrumentations costs once: the client's cost wins, on either span", () => {
  const numbers = { model: () => 1, tool: () => 1 };
  const span = (id: string, parent: string | null, fields: Partial<IdentifiedSpan> = {}) =>
    storeSpan(
      call({
        span_id: id,
        parent_span_id: parent,
        kind: "LLM",
        model: "known",
        token_usage: usage,
        metadata: { "otel.resource": "r" },
        ...fields,
      }),
    );
  const figures = (...spans: readonly Span[]) => {
    const { costs, unpricedTokens } = spanFactsOf(spans, numbers);
    return [totalCost(contributionsOf(spans)), costs, unpricedTokens];
  };
  const paid = { cost: { total: 7 } };

  expect(figures(span("a", null), span("b", "a"))).toEqual([0.003, ["prices"], 0]);
  expect(figures(span("a", null, paid), span("b", "a"))).toEqual([7, ["client"], 0]);
  expect(figures(span("a", null), span("b", "a", paid))).toEqual([7, ["client"], 0]);
  expect(figures(span("a", null, paid), span("b", "a", { token_usage: null }), span("c", "b"))).toEqual([
    7,
    ["client"],
    0,
  ]);
  expect(figures(span("a", null, { token_usage: null }), span("b", "a"))).toEqual([0.003, ["prices"], 0]);
  expect(figures(span("a", null, paid), span("b", "a", { model: null }))).toEqual([7, ["client"], 0]);
  expect(figures(span("a", null, paid), span("b", "a", { model: "unknown" }))).toEqual([7, ["client"], 1100]);
  expect(figures(span("a", "b"), span("b", "a"))).toEqual([0.003, ["prices"], 0]);
  expect(figures(span("a", null), span("b", null))).toEqual([0.006, ["prices"], 0]);
});

test.each([
  ["of the limit", started_at, { prompt_tokens: 200_000 }, 0.4],
  ["above the limit", started_at, { prompt_tokens: 200_001 }, 0.800004],
  ["above the limit, most of it cached", started_at, { prompt_tokens: 200_001, cache_read_tokens: 200_000 }, 0.200004],
  ["above a limit that no longer holds", "2026-12-01T09:00:00+00:00", { prompt_tokens: 200_001 }, 0.400002],
])("a prompt %s has the price of its length", (_, startedAt, token_usage, input) => {
  const span = storeSpan(call({ model: "tiered", token_usage, started_at: startedAt }));

  expect(costOfSpan(span)?.["input"]).toBe(input);
});

test.each([
  ["flex", 0.00142],
  [" FLEX ", 0.00142],
  ["default", 0.00274],
  ["auto", 0.00274],
  ["on_demand", 0.00274],
  [7, 0.00274],
  ["priority", null],
])("a call at the service tier %j has the price of the tier, and none at one that is not listed", (tier, total) => {
  const token_usage = { ...usage, cache_read_tokens: 200, cache_write_tokens: 80, service_tier: tier };
  const [span, updated] = [
    storeSpan(call({ model: "flexible", token_usage })),
    storeSpan(call({ model: "flexible", token_usage: usage }), call({ token_usage })),
  ];

  expect([span, updated].map((each) => costOfSpan(each)?.["total"] ?? null)).toEqual([total, total]);
  expect(spanFactsOf([span], { model: () => 1, tool: () => 1 }).unpricedTokens).toBe(total === null ? 1100 : 0);
});

test("a span has the price of its model at the host that it names, and keeps it apart when it is repriced", () => {
  const atHost = (input: number) => (_: string, host: string | null) =>
    modelPrice([prices({ input: host === null ? 1 : host === "groq" ? input : 100 })]);
  const updates = [
    call({ span_id: "a", model: "open", token_usage: usage }),
    call({ span_id: "b", model: "open", token_usage: usage, metadata: { "otel.model_host": "groq" } }),
    call({ span_id: "c", model: "open", token_usage: usage, metadata: { "gen_ai.provider.name": "Groq" } }),
  ];
  const inputs = (spans: readonly Span[]) => spans.map((span) => costOfSpan(span)?.["input"]);
  const stored = mergeSpans([], pricedSpans(updates, atHost(2)));
  const changed = newerPrices(stored, atHost(3));

  expect(inputs(stored)).toEqual([0.001, 0.002, 0.002]);
  expect(changed).toHaveLength(1);
  expect(inputs(repricedSpans(stored, new Map(changed)))).toEqual([0.001, 0.003, 0.003]);
});

test.each([
  [{ prompt: 0.1, completion: 0.2 }, 0.3],
  [{ input: 0.1 }, 0.1],
  [{ prompt: 0.1, input: 0.1, output: 0.2 }, 0.3],
  [{ prompt: 0.1, completion: 0.2, total: 0.5 }, 0.5],
  [{ prompt: 0.1, completion: 0.2, total: null }, 0.3],
])("a client's cost without a total is that of its parts: %j", (cost, total) => {
  const span = storeSpan(call({ kind: "LLM", model: "known", token_usage: usage, cost }));

  expect([costOfSpan(span)?.["total"], totalCost(contributionsOf([span]))]).toEqual([total, total]);
  expect(spanFactsOf([span], { model: () => 1, tool: () => 1 }).unpricedTokens).toBe(0);
});
