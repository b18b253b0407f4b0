import { describe, expect, test } from "vitest";
import { modelIdentity } from "../../../../../lib/domain/model-name.ts";
import { usageTotalKey } from "../../../../../lib/domain/traces/usage/counted-usage.ts";
import { spanFactsOf } from "../../../../../lib/domain/traces/facts.ts";
import type { IdentifiedSpan } from "../../../../../lib/domain/traces/input.ts";
import { mergeSpans } from "../../../../../lib/domain/traces/merge.ts";
import { modelPrice } from "../../../../../lib/domain/traces/model-price.ts";
import { contributionsOf, totalCost, totalTokens } from "../../../../../lib/domain/traces/totals.ts";
import type { Span } from "../../../../../lib/domain/traces/trace.ts";
import { usageOfSpans } from "../../../../../lib/domain/analytics/usage-in-range.ts";

/** One dollar per million prompt tokens, ten per million completion tokens. */
const price = modelPrice([{ input: 1, output: 10, cached: 0.1, written: 1, reasoning: 10, from: null }]);

/** Fields of a span, and the spans within it. */
interface Sketch {
  readonly kind: Span["kind"];
  readonly model?: string | null;
  /** Prompt and completion tokens, and tokens read from a cache. */
  readonly tokens?: readonly [prompt: number, completion: number, cached?: number];
  readonly dollars?: number;
  readonly isTotal?: true;
  readonly isPriced?: false;
  readonly hour?: number;
  readonly within?: readonly Sketch[];
}

/** Spans of a sketch; the id of each begins with that of its parent. */
const sentSpans = (sketch: Sketch, id = "a", parent: string | null = null): readonly IdentifiedSpan[] => {
  const { kind, model = "m", tokens, dollars, isTotal, isPriced = true, hour = 10, within = [] } = sketch;
  const [prompt_tokens = 0, completion_tokens = 0, cache_read_tokens = 0] = tokens ?? [];
  const span = {
    span_id: id,
    parent_span_id: parent,
    name: id,
    kind,
    model,
    token_usage: tokens && { prompt_tokens, completion_tokens, cache_read_tokens },
    metadata: isTotal === undefined ? {} : { [usageTotalKey]: true },
    started_at: `2026-11-21T${hour}:00:00+00:00`,
    cost: dollars === undefined ? null : { total: dollars },
    ...(isPriced && model !== null && { price }),
  };
  return [span, ...within.flatMap((each, index) => sentSpans(each, `${id}${index}`, id))];
};
const spansOf = (sketch: Sketch): readonly Span[] => mergeSpans([], sentSpans(sketch));
const around = (outer: Sketch, ...within: readonly Sketch[]): Sketch => ({ ...outer, within });

const numbers = { model: () => 1, tool: () => 1 };
const sumsOf = (spans: readonly Span[]) => {
  const contributions = contributionsOf(spans);
  return [totalTokens(contributions), totalCost(contributions), spanFactsOf(spans, numbers).unpricedTokens];
};

const llm = { kind: "LLM", tokens: [100, 20] } as const;
const llmOf = (model: string | null, fields: object = {}): Sketch => ({ ...llm, model, ...fields });
const paid = { kind: "LLM", dollars: 7 } as const;
const [agent, total] = [{ kind: "AGENT", model: null } as const, { kind: "AGENT", isTotal: true } as const];
const [chain, tool] = [{ kind: "CHAIN", model: null } as const, { kind: "TOOL", model: null } as const];
const embedding = { kind: "EMBEDDING", tokens: [5, 0] } as const;

describe("a trace's tokens, cost and unpriced tokens", () => {
  test.each<readonly [shape: string, sketch: Sketch, sums: readonly [number, number, number]]>([
    ["an agent that alone has usage", { kind: "AGENT", tokens: [113, 11] }, [124, 0.000223, 0]],
    ["an agent's usage above a call without", around({ ...agent, tokens: [9, 1] }, { kind: "LLM" }), [10, 0, 10]],
    ["an agent's cost above a call's tokens", around({ ...agent, dollars: 0.42 }, llm), [120, 0.42, 0]],
    ["a chain that alone has usage", { ...chain, tokens: [113, 11], dollars: 0.5 }, [124, 0.5, 0]],
    ["a repeated call", around(llm, llm), [120, 0.0003, 0]],
    ["a gateway's call behind HTTP", around(llm, around({ kind: "OTHER" }, llm)), [120, 0.0003, 0]],
    ["a call around a chain", around(llm, around({ ...chain, tokens: [100, 20] }, llm)), [120, 0.0003, 0]],
    ["a guardrail around its judge", around({ ...chain, tokens: [100, 20] }, llm), [120, 0.0003, 0]],
    ["a retriever around its embedding", around({ ...embedding, kind: "RETRIEVER" }, embedding), [5, 0.000005, 0]],
    ["a wrapper of several calls", around({ ...llm, tokens: [200, 40] }, chain, llm, llm), [240, 0.0006, 0]],
    ["a wrapper of the last attempt", around(llm, llm, llm), [240, 0.0006, 0]],
    ["a total above all its calls", around({ ...total, tokens: [200, 40] }, llm, llm), [240, 0.0006, 0]],
    ["a total above one of two calls", around({ ...total, tokens: [200, 40] }, llm), [240, 0.0006, 0]],
    ["a total without a price", around({ ...total, model: null, tokens: [200, 20] }, llm), [220, 0.0003, 100]],
    ["a total with more cached tokens", around({ ...total, tokens: [120, 20, 60] }, llm), [140, 0.000302, 0]],
    ["a total below the sum of its calls", around({ ...total, tokens: [5, 5] }, llm), [120, 0.0003, 0]],
    ["a total of dollars", around({ ...total, dollars: 0.42 }, { ...llm, dollars: 0.4 }), [120, 0.42, 0]],
    ["another model called by a tool", around(llmOf("n"), around(tool, llm)), [240, 0.0006, 0]],
    ["one model by two names", around(llmOf("openai/gpt-4o-2024-08-06"), llmOf("gpt-4o")), [120, 0.0003, 0]],
    ["a call around calls of its own and of another model", around(llm, llm, llmOf("n")), [240, 0.0006, 0]],
    ["a call around one that names no model", around(llm, llmOf(null)), [120, 0, 120]],
    ["another model's cost around", around(llmOf("n", { dollars: 1 }), around(tool, llm)), [240, 1.0003, 0]],
    ["an agent of another model than its call", around({ ...llm, kind: "AGENT", model: "n" }, llm), [120, 0.0003, 0]],
    ["a cost around a call", around({ ...llm, dollars: 7 }, around({ kind: "LLM" }, llm)), [120, 7, 0]],
    ["a cost within a call that has the tokens", around(llm, paid), [120, 7, 0]],
    ["another model's cost within a tool", around(llm, around(tool, { ...paid, model: "n" })), [120, 7.0003, 0]],
    ["a cost on both spans of a call", around({ ...llm, dollars: 6 }, { ...llm, dollars: 7 }), [120, 7, 0]],
    ["tokens on two spans", around({ ...llm, tokens: [100, 0] }, { ...llm, tokens: [0, 20] }), [120, 0.0003, 0]],
    ["an attempt that failed", around(llm, { kind: "LLM", tokens: [0, 0], dollars: 0 }), [120, 0.0003, 0]],
    ["a call without a price", { ...llm, isPriced: false }, [120, 0, 120]],
    ["a free call", { ...llm, dollars: 0 }, [120, 0, 0]],
  ])("of %s", (_, sketch, sums) => {
    expect(sumsOf(spansOf(sketch))).toEqual(sums);
  });

  test("count where the spans that report them belong, by hour and model, and repetitions are no calls", () => {
    const spans = spansOf(around({ ...llm, dollars: 0.5 }, around({ ...llm, hour: 11 }, tool)));

    expect(contributionsOf(spans)).toMatchObject([
      { hour: "2026-11-21T10", model: "m", calls: 1, promptTokens: 0, cost: 0.5 },
      { hour: "2026-11-21T11", model: "m", calls: 1, promptTokens: 100, cost: 0 },
      { hour: "2026-11-21T10", model: null, calls: 1 },
    ]);
    expect(contributionsOf(spansOf(around(llm, llm)))).toMatchObject([{ calls: 1, promptTokens: 100 }]);
    const [before, after] = [10, 11].map((hour) =>
      usageOfSpans(spans, `2026-11-21T${hour}:00:00+00:00`, `2026-11-21T${hour + 1}:00:00+00:00`),
    );
    expect([totalTokens(before ?? []), totalTokens(after ?? [])]).toEqual([0, 120]);
  });

  test("do not depend on a circle of parents, which is cut at its lowest id", () => {
    const [outer, inner] = spansOf(around(llm, { ...llm, tokens: [50, 5] }));
    if (outer === undefined || inner === undefined) throw new Error("Two spans were sketched.");
    const circle = [{ ...outer, parent_span_id: inner.span_id }, inner];

    expect([sumsOf(circle), sumsOf(circle.toReversed())]).toEqual([sumsOf([inner]), sumsOf([inner])]);
    expect(sumsOf([{ ...inner, parent_span_id: inner.span_id }])).toEqual(sumsOf([inner]));
  });

  test("of 10,000 calls of different models within each other are those of all", () => {
    const [span] = spansOf(llm);
    const nested = Array.from({ length: 10_000 }, (__, at) =>
      Object.assign({ ...span }, { span_id: `s${at}`, parent_span_id: `s${at - 1}`, model: `m${at}` }),
    ) as readonly Span[];
    expect(totalTokens(contributionsOf(nested))).toBe(1_200_000);
  });
});

test.each([
  ["gpt-4o", "GPT-4o-2024-08-06", "openai/gpt-4o", "azure/gpt-4o", "openai:gpt-4o", "openrouter/openai/gpt-4o:free"],
  ["gpt-4.1", "azure/gpt-4-1", "gpt-4.1-2025-04-14"],
  ["gpt-4", "gpt-4-0613", "gpt-4-1106-preview"],
  ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5@20250929", "anthropic/claude-4.5-sonnet"],
  ["claude-sonnet-4-5", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock/us.anthropic.claude-sonnet-4-5-v1:0"],
  ["claude-sonnet-4-5", "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["gemini-2.5-pro", "google-gla:gemini-2.5-pro", "projects/p/publishers/google/models/gemini-2.5-pro-preview-06-05"],
  ["nova-pro", "amazon.nova-pro-v1:0", "eu.amazon.nova-pro-v1:0"],
])("the names of a model at hosts and on dates are compared as one: %s", (...names) => {
  expect(new Set(names.map(modelIdentity)).size).toBe(1);
});

test("names of different models are compared as different ones", () => {
  const names = [
    "gpt-4o",
    "gpt-4o-mini",
    "gpt-4",
    "gpt-4.1",
    "o3",
    "llama3:8b",
    "mistral:7b",
    "claude-3-5-sonnet",
    "claude-3-5-haiku",
  ];

  expect(new Set(names.map(modelIdentity)).size).toBe(names.length);
});
