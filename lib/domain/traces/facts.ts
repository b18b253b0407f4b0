import { numberAt } from "../json.ts";
import { listedCost, hasClientCost } from "./span-cost.ts";
import type { Span } from "./trace.ts";
import { duplicateUsage, type DuplicateUsage } from "./duplicate-usage.ts";

/** Sources of costs: amounts sent by clients, and price lists. */
export const costSources = ["client", "prices"] as const;
type CostSource = (typeof costSources)[number];

/** Number shared by all model and tool names that have no assigned number. */
export const unnumberedName = 0;

/** The numbers assigned to model and tool names in a project; `unnumberedName` for names without one. */
export interface NameNumbers {
  readonly model: (name: string) => number;
  readonly tool: (name: string) => number;
}

/** Distinct name numbers in ascending order; only the lowest ones if a row has no room for all. */
export interface NumberedNames {
  readonly numbers: readonly number[];
  /** True if there are further names for which the row has no room. */
  readonly hasMore: boolean;
}

/** Facts about a trace's spans that its row stores besides the totals. */
export interface SpanFacts {
  /** Spans with the status ERROR or an error message. */
  readonly errors: number;
  readonly models: NumberedNames;
  /** Numbers of the names of spans of kind TOOL. */
  readonly tools: NumberedNames;
  /** Sources of the total cost, in the order of `costSources`; empty if there is no cost. */
  readonly costs: readonly CostSource[];
  /** Tokens with unknown cost, at most 2^53 - 1. */
  readonly unpricedTokens: number;
}

/** Maximum numbers of model and tool names in a row. */
const [maxModels, maxTools] = [16, 32] as const;

const noNames: NumberedNames = { numbers: [], hasMore: false };
const noFacts: SpanFacts = { errors: 0, models: noNames, tools: noNames, costs: [], unpricedTokens: 0 };

const modelOf = ({ model }: Span): readonly string[] => (model === null || model === "" ? [] : [model]);
const toolOf = ({ kind, name }: Span): readonly string[] => (kind === "TOOL" ? [name] : []);

/** Returns the distinct model and tool names of spans. */
export const namesIn = (spans: readonly Span[]): { readonly models: Set<string>; readonly tools: Set<string> } => ({
  models: new Set(spans.flatMap(modelOf)),
  tools: new Set(spans.flatMap(toolOf)),
});

const mergeNames = (before: NumberedNames, added: Iterable<number>, max: number): NumberedNames => {
  const sorted = [...new Set([...before.numbers, ...added])].toSorted((a, b) => a - b);
  return { numbers: sorted.slice(0, max), hasMore: before.hasMore || sorted.length > max };
};

/** Returns the number of prompt and completion tokens of a span, rounded, so that partial sums add up to the total. */
const tokensOf = ({ token_usage: usage }: Span): number =>
  Math.round(numberAt(usage, "prompt_tokens") + numberAt(usage, "completion_tokens"));

/** Returns the spans with unknown cost, without those whose usage another span reports. */
const unpricedOf = (spans: readonly Span[], { tokens, costs }: DuplicateUsage): readonly Span[] =>
  spans.filter(
    (span) =>
      !hasClientCost(span) && !tokens.has(span.span_id) && !costs.has(span.span_id) && listedCost(span) === null,
  );

const tokensIn = (spans: readonly Span[], before = 0): number =>
  spans.reduce((sum, span) => Math.min(Number.MAX_SAFE_INTEGER, sum + tokensOf(span)), before);

/** Returns the tokens with unknown cost, at most 2^53 - 1. */
export const unpricedTokens = (spans: readonly Span[]): number => tokensIn(unpricedOf(spans, duplicateUsage(spans)));

/**
 * Updates the facts of a trace with added spans. The result equals the facts of all spans in any order, provided that
 * no added span was there before or belongs to the same model call as an existing one (see `duplicateUsage`).
 */
export const addSpanFacts = (before: SpanFacts, spans: readonly Span[], { model, tool }: NameNumbers): SpanFacts => {
  const duplicates = duplicateUsage(spans);
  const { models, tools } = namesIn(spans);
  const countedSpans = spans.filter((span) => !duplicates.costs.has(span.span_id));
  const isPresent: Readonly<Record<CostSource, boolean>> = {
    client: countedSpans.some(hasClientCost),
    prices: countedSpans.some((span) => listedCost(span) !== null),
  };
  return {
    errors: before.errors + spans.filter(({ status, error }) => status === "ERROR" || error !== null).length,
    models: mergeNames(before.models, [...models].map(model), maxModels),
    tools: mergeNames(before.tools, [...tools].map(tool), maxTools),
    costs: costSources.filter((source) => before.costs.includes(source) || isPresent[source]),
    unpricedTokens: tokensIn(unpricedOf(spans, duplicates), before.unpricedTokens),
  };
};

/** Computes the facts of a trace's spans. */
export const spanFactsOf = (spans: readonly Span[], numbers: NameNumbers): SpanFacts =>
  addSpanFacts(noFacts, spans, numbers);
