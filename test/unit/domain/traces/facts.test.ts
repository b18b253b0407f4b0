import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../../../lib/domain/json.ts";
import { namesIn, spanFactsOf, withSpans, type NameNumbers } from "../../../../lib/domain/traces/facts.ts";
import { mergeSpans } from "../../../../lib/domain/traces/merge.ts";
import { spanKinds, spanStatuses, type Span } from "../../../../lib/domain/traces/trace.ts";

const numbers: NameNumbers = {
  model: (name) => Number(name.split("-")[1] ?? 0),
  tool: (name) => Number(name.split("-")[1] ?? 0),
};

const span = (given: Partial<Span> & { readonly span_id: string }): Span => {
  const [made] = mergeSpans([], [{ name: "x", started_at: "2026-10-01T10:00:00+00:00", ...given }]);
  if (made === undefined) throw new Error("There is no span.");
  return made;
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
  .map((all) => all.map((given, index) => span({ span_id: `span ${index}`, ...given })));

test("facts of spans that come a few at a time are those of all of them, in any order", () => {
  fc.assert(
    fc.property(someSpans, fc.array(fc.nat(80), { maxLength: 5 }), (spans, cuts) => {
      const whole = spanFactsOf(spans, numbers);
      const places = [0, ...cuts.toSorted((a, b) => a - b), spans.length];
      const groups = places.slice(1).map((end, index) => spans.slice(places[index], Math.max(places[index] ?? 0, end)));
      const [first = [], ...others] = groups;

      expect(others.reduce((facts, group) => withSpans(facts, group, numbers), spanFactsOf(first, numbers))).toEqual(
        whole,
      );
      expect(spanFactsOf(spans.toReversed(), numbers)).toEqual(whole);
    }),
  );
});

test("errors, models, tools, what is paid and what is not are told of a trace's spans", () => {
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
    models: { numbers: [1, 3], more: false },
    tools: { numbers: [7], more: false },
    costs: ["client"],
    unpricedTokens: 16,
  });
});

test("a row has room for 16 models and 32 tools, and says that there are more", () => {
  const spans = Array.from({ length: 40 }, (_, index) =>
    span({ span_id: `${index}`, kind: "TOOL", name: `tool-${40 - index}`, model: `model-${40 - index}` }),
  );
  const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

  expect(spanFactsOf(spans, numbers)).toMatchObject({
    models: { numbers: upTo(16), more: true },
    tools: { numbers: upTo(32), more: true },
  });
  expect(withSpans(spanFactsOf(spans, numbers), spans.slice(-1), numbers).models.more).toBe(true);
  expect(spanFactsOf(spans.slice(8), numbers).tools).toEqual({ numbers: upTo(32), more: false });
});

test("tokens that two spans tell of one call of a model count once, and not where the inner one says its cost", () => {
  const call = { kind: "LLM", token_usage: { prompt_tokens: 10 }, metadata: { "otel.resource": "r" } } as const;
  const outer = span({ span_id: "outer", ...call });
  const inner = span({ span_id: "inner", parent_span_id: "outer", ...call });

  expect(spanFactsOf([outer, inner], numbers).unpricedTokens).toBe(10);
  expect(spanFactsOf([outer, { ...inner, cost: { total: 0.5 } }], numbers).unpricedTokens).toBe(0);
});
