import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../../../lib/domain/json.ts";
import { namesIn, spanFactsOf, addSpanFacts, type NameNumbers } from "../../../../lib/domain/traces/facts.ts";
import { mergeSpans } from "../../../../lib/domain/traces/merge.ts";
import { spanKinds, spanStatuses, type Span } from "../../../../lib/domain/traces/trace.ts";

const numbers: NameNumbers = {
  model: (name) => Number(name.split("-")[1] ?? 0),
  tool: (name) => Number(name.split("-")[1] ?? 0),
};

const span = (fields: Partial<Span> & { readonly span_id: string }): Span => {
  const [mergedSpan] = mergeSpans([], [{ name: "x", started_at: "2026-10-01T10:00:00+00:00", ...fields }]);
  if (mergedSpan === undefined) throw new Error("There is no span.");
  return mergedSpan;
};

const amount = fc.oneof(fc.nat(5_000), fc.constantFrom(0.5, 0.4, 1e308, null));

const someSpans = fc
  .array(
    fc.record({
      name: fc.nat(80).map((index) => `tool-${index}`),
      kind: fc.constantFrom(...spanKinds),
      status: fc.constantFrom(...spanStatuses),
      error: fc.option(fc.constant("it broke")),
      model: fc.option(fc.nat(40).map((index) => `model-${index}`)),
      token_usage: fc.option(
        fc.record({ prompt_tokens: amount, completion_tokens: amount }) as fc.Arbitrary<Record<string, Json>>,
      ),
      cost: fc.option(fc.record({ total: amount }) as fc.Arbitrary<Record<string, Json>>),
    }),
    { maxLength: 80 },
  )
  .map((spanFieldsList) =>
    spanFieldsList.map((spanFields, index) => span({ span_id: `span ${index}`, ...spanFields })),
  );

test("facts of spans that arrive in groups equal those of all spans together, in any order", () => {
  fc.assert(
    fc.property(someSpans, fc.array(fc.nat(80), { maxLength: 5 }), (spans, cuts) => {
      const expectedFacts = spanFactsOf(spans, numbers);
      const places = [0, ...cuts.toSorted((a, b) => a - b), spans.length];
      const groups = places.slice(1).map((end, index) => spans.slice(places[index], Math.max(places[index] ?? 0, end)));
      const [first = [], ...laterGroups] = groups;

      expect(
        laterGroups.reduce((facts, group) => addSpanFacts(facts, group, numbers), spanFactsOf(first, numbers)),
      ).toEqual(expectedFacts);
      expect(spanFactsOf(spans.toReversed(), numbers)).toEqual(expectedFacts);
    }),
  );
});

test("facts contain errors, models, tools, priced and unpriced calls of a trace's spans", () => {
  const spans = [
    span({ span_id: "1", kind: "LLM", model: "model-3", token_usage: { prompt_tokens: 10, completion_tokens: 2 } }),
    span({ span_id: "2", kind: "LLM", model: "model-1", token_usage: { prompt_tokens: 5 }, cost: { total: 0 } }),
    span({ span_id: "3", kind: "LLM", model: "model-3", token_usage: { prompt_tokens: 4 }, cost: { total: null } }),
    span({ span_id: "4", kind: "TOOL", name: "tool-7", status: "ERROR" }),
    span({ span_id: "5", kind: "TOOL", name: "tool-7", error: "it broke" }),
    span({ span_id: "6", kind: "AGENT", name: "tool-9", model: "", status: "OK" }),
  ];

  expect(namesIn(spans)).toEqual({ models: new Set(["model-3", "model-1"]), tools: new Set(["tool-7"]) });
  expect(spanFactsOf(spans, numbers)).toEqual({
    errors: 2,
    models: { numbers: [1, 3], hasMore: false },
    tools: { numbers: [7], hasMore: false },
    costs: ["client"],
    unpricedTokens: 16,
  });
});

test("a packed row has room for 16 models and 32 tools, and is marked when there are more", () => {
  const spans = Array.from({ length: 40 }, (_, index) =>
    span({ span_id: `${index}`, kind: "TOOL", name: `tool-${40 - index}`, model: `model-${40 - index}` }),
  );
  const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

  expect(spanFactsOf(spans, numbers)).toMatchObject({
    models: { numbers: upTo(16), hasMore: true },
    tools: { numbers: upTo(32), hasMore: true },
  });
  expect(addSpanFacts(spanFactsOf(spans, numbers), spans.slice(-1), numbers).models.hasMore).toBe(true);
  expect(spanFactsOf(spans.slice(8), numbers).tools).toEqual({ numbers: upTo(32), hasMore: false });
});

test("tokens that two spans report of one model call count once, and not where the inner span has its own cost", () => {
  const call = { kind: "LLM", token_usage: { prompt_tokens: 10 }, metadata: { "otel.resource": "r" } } as const;
  const outer = span({ span_id: "outer", ...call });
  const inner = span({ span_id: "inner", parent_span_id: "outer", ...call });

  expect(spanFactsOf([outer, inner], numbers).unpricedTokens).toBe(10);
  expect(spanFactsOf([outer, { ...inner, cost: { total: 0.5 } }], numbers).unpricedTokens).toBe(0);
});
