import { randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { getSession, listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans, updateSpan } from "../../../lib/contract/traces/changes.ts";
import { listPrices } from "../../../lib/contract/traces/prices.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";
import { attributesOf } from "../../support/otlp/otlp-span.ts";
import { newProject, requestTimeout } from "../../support/service/client.ts";

const service = inject("service");
const started_at = "2026-10-01T10:00:00.000000+00:00";
const source = "price_list";

/** A call of a model at 0.75 dollars per million prompt tokens, 0.075 if cached, and 4.50 per million completion tokens. */
const call = (fields: object = {}) => ({
  span_id: randomUUID(),
  name: "chat",
  kind: "LLM",
  model: "gpt-5.4-mini",
  started_at,
  token_usage: { prompt_tokens: 1000, completion_tokens: 100 },
  ...fields,
});
const cost = { input: 0.00075, output: 0.00045, total: 0.0012, source };
const unknown = { model: "nobody-knows", token_usage: { prompt_tokens: 7, completion_tokens: 3 } };

test("tokens of a model in the price list have a cost, which every sum includes: trace, list, session, analytics", async () => {
  const project = newProject(service);
  const spans = [
    call(),
    call({ token_usage: { prompt_tokens: 1000, completion_tokens: 100, cache_read_tokens: 1000 } }),
    call({ cost: { total: 0.5 } }),
    call(unknown),
  ];
  const body = { trace_id: randomUUID(), name: "x", started_at, session_id: "chat", spans };
  const sums = { total_tokens: 3310, total_cost: 0.501725, unpriced_tokens: 10 };

  await project.answer(createTrace, { body });

  const trace = await project.answer(getTrace, { params: { trace_id: body.trace_id } });
  expect(trace).toMatchObject(sums);
  const costOf = (index: number) => trace.spans.find(({ span_id }) => span_id === spans[index]?.span_id)?.cost;
  expect([0, 1, 2, 3].map(costOf)).toEqual([
    cost,
    { input: 0.000075, output: 0.00045, total: 0.000525, source },
    { total: 0.5 },
    null,
  ]);
  for (const span of trace.spans) expect(span).not.toHaveProperty("price");
  expect((await project.answer(listTraces)).items).toMatchObject([sums]);
  expect((await project.answer(listSessions)).items).toMatchObject([sums]);
  const session = await project.answer(getSession, { params: { session_id: "chat" } });
  expect(session).toMatchObject({ ...sums, traces: [sums] });
  const range = { started_after: "2026-10-01T00:00:00Z", started_before: "2026-10-02T00:00:00Z" };
  const analytics = (metric: string) => project.answer(getTraceAnalytics, { query: { metric, ...range } });
  await expect.poll(() => analytics("cost"), { timeout: requestTimeout }).toMatchObject([{ total_cost: 0.501725 }]);
  expect(await analytics("models")).toMatchObject([
    { model: "gpt-5.4-mini", call_count: 3, total_cost: 0.501725 },
    { model: "nobody-knows", call_count: 1, total_cost: 0 },
  ]);
});

test.each(["Idempotency-Key", "X-Request-ID"])("spans that are sent with %s are priced", async (key) => {
  const project = newProject(service);
  const options = { body: { name: "x", started_at, spans: [call(), call(unknown)] }, headers: { [key]: randomUUID() } };

  const { trace_id } = await project.answer(createTrace, options);

  const trace = await project.answer(getTrace, { params: { trace_id } });
  expect(trace).toMatchObject({ total_cost: 0.0012, unpriced_tokens: 10 });
  expect(trace.spans.map((span) => span.cost)).toEqual(expect.arrayContaining([cost, null]));
});

test("a span is priced on every route that stores spans, and again after each update", async () => {
  const project = newProject(service);
  const [first, second, third] = [call(), call({ token_usage: undefined }), call()];
  const trace_id = randomUUID();
  const total = async () => (await project.answer(listTraces)).items[0]?.total_cost;

  await project.answer(createTraces, {
    body: { traces: [{ trace_id, name: "x", started_at, spans: [first, second] }] },
  });
  const initialTotal = await total();
  await project.answer(createSpans, { params: { trace_id }, body: [third] });
  const added = await total();
  const { span_id, name } = second;
  const usage = { span_id, name, started_at, token_usage: { prompt_tokens: 1000 } };
  await project.answer(createSpans, { params: { trace_id }, body: [usage] });
  const used = await total();
  const patch = (body: object) => project.answer(updateSpan, { params: { trace_id, span_id }, body });
  const repricedSpan = await patch({ model: "gpt-5.4" });
  const patched = await total();
  const reportedCost = await patch({ cost: { total: 2 } });
  await patch({ token_usage: { prompt_tokens: 5 } });
  const paid = await total();
  await patch({ cost: null, model: "nobody-knows" });

  expect([initialTotal, added, used, patched, paid]).toEqual([0.0012, 0.0024, 0.00315, 0.0049, 2.0024]);
  expect([repricedSpan.cost, reportedCost.cost]).toEqual([
    { input: 0.0025, output: 0, total: 0.0025, source },
    { total: 2 },
  ]);
  const finalTrace = await project.answer(getTrace, { params: { trace_id } });
  expect(finalTrace).toMatchObject({ total_cost: 0.0024, unpriced_tokens: 5 });
  expect((await project.answer(listTraces)).items[0]).toMatchObject({ total_cost: 0.0024, unpriced_tokens: 5 });
});

test("token counts from OpenTelemetry are priced, including cached, cache-writing and reasoning tokens", async () => {
  const project = newProject(service);
  const trace = randomBytes(16).toString("hex");
  const attributes = attributesOf({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "claude-sonnet-4-5",
    "gen_ai.response.model": "claude-sonnet-4-5-20250929",
    "gen_ai.usage.input_tokens": 10_000,
    "gen_ai.usage.output_tokens": 1_000,
    "gen_ai.usage.cache_read.input_tokens": 6_000,
    "gen_ai.usage.cache_creation.input_tokens": 2_000,
    "gen_ai.usage.reasoning.output_tokens": 400,
  });
  const exported = (id: string, parentSpanId = "") => jsonSpan(trace, id, { attributes, parentSpanId });

  // In dollars per million: 2,000 tokens at 3, 6,000 at 0.30, 2,000 at 3.75, and 1,000 at 15.
  await sendJsonExport(service, project.headers, jsonExport([exported("aa".repeat(8))]));
  const firstRead = await project.answer(getTrace, { params: { trace_id: traceUuid(trace) } });
  // The same call, exported again by the instrumentation of an inner library.
  await sendJsonExport(service, project.headers, jsonExport([exported("bb".repeat(8), "aa".repeat(8))]));
  const secondRead = await project.answer(getTrace, { params: { trace_id: traceUuid(trace) } });

  expect(firstRead.spans[0]?.cost).toEqual({ input: 0.0153, output: 0.015, total: 0.0303, source });
  expect(firstRead).toMatchObject({ total_tokens: 11_000, total_cost: 0.0303, unpriced_tokens: 0 });
  expect(secondRead).toMatchObject({ total_tokens: 11_000, total_cost: 0.0303, unpriced_tokens: 0 });
  expect((await project.answer(listTraces)).items).toMatchObject([{ span_count: 2, total_cost: 0.0303 }]);
});

test("a price in the metadata of a span has no effect", async () => {
  const project = newProject(service);
  const trace_id = randomUUID();
  const spans = [call({ price: [[1000, 1000]] })];

  await project.answer(createTrace, {
    body: { trace_id, name: "x", started_at, spans, prices: [["gpt-5.4-mini", [[9, 9]]]] },
  });

  expect(await project.answer(getTrace, { params: { trace_id } })).toMatchObject({ total_cost: 0.0012 });
});

test("the prices in force are listed, with the source and date of each", async () => {
  const project = newProject(service);

  const { items: firstItems, total } = await project.answer(listPrices, { query: { limit: 200 } });
  const items = [...firstItems];
  while (items.length < total)
    items.push(...(await project.answer(listPrices, { query: { limit: 200, offset: items.length } })).items);
  const page = await project.answer(listPrices, { query: { limit: 2, offset: 1 } });

  const keys = items.map(({ model, from, prompt_above, hours }) => [model, from, prompt_above, hours].join(" "));
  expect(new Set(keys).size).toBe(total);
  expect(items.find(({ model }) => model === "gpt-5.4-mini")).toEqual({
    model: "gpt-5.4-mini",
    list: "service",
    from: null,
    prompt_above: null,
    hours: null,
    input: 0.75,
    output: 4.5,
    cached: 0.075,
    written: 0.75,
    reasoning: 4.5,
    audio: null,
    audio_cached: null,
    audio_output: null,
    written_1h: null,
    service_tiers: [
      { tier: "batch", share: 0.5, cached_share: 0.5 },
      { tier: "flex", share: 0.5, cached_share: 0.5 },
    ],
    source: "https://developers.openai.com/api/docs/pricing",
    read_on: "2026-09-23",
  });
  expect(items.filter(({ model }) => model === "gemini-3.8-flash").map(({ from }) => from)).toEqual([
    null,
    "2027-01-01T00:00:00.000000+00:00",
  ]);
  expect(items.filter(({ model }) => model === "gpt-6-luna")).toMatchObject([
    { prompt_above: null, input: 0.1 },
    { prompt_above: 272_000, input: 0.2 },
  ]);
  expect(page).toMatchObject({ items: items.slice(1, 3), total, limit: 2, offset: 1 });
  const next = await project.answer(listPrices, { query: { limit: 2, cursor: page.next_cursor ?? "" } });
  expect(next.items).toEqual(items.slice(3, 5));
});
