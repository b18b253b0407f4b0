import { toDouble, type JsonObject } from "../json.ts";
import { listedCost, tellsCost } from "./span-cost.ts";
import type { Span } from "./trace.ts";
import { wrappedCalls, type WrappedCalls } from "./wrapped-calls.ts";

/** Where costs come from: what a client says it paid, or a price list. */
export const costSources = ["client", "prices"] as const;
type CostSource = (typeof costSources)[number];

/** Stands for every name that has no number of its own. */
export const otherName = 0;

/** The numbers that names of models and tools have in a project, `otherName` for those without one. */
export interface NameNumbers {
  readonly model: (name: string) => number;
  readonly tool: (name: string) => number;
}

/** Numbers of names, rising, each once; the lowest where there are too many for a row. */
export interface NumberedNames {
  readonly numbers: readonly number[];
  /** Whether there are others. */
  readonly more: boolean;
}

/** What a row says of a trace's spans, beside its sums. */
export interface SpanFacts {
  /** Spans that have the status ERROR or an error. */
  readonly errors: number;
  readonly models: NumberedNames;
  /** Names of spans of the kind TOOL. */
  readonly tools: NumberedNames;
  /** What the total cost is made of, in the order of `costSources`; nothing where there is no cost. */
  readonly costs: readonly CostSource[];
  /** Tokens that no cost is known for, 2^53 - 1 at most. */
  readonly unpricedTokens: number;
}

/** Names that a row has room for. */
const [mostModels, mostTools] = [16, 32] as const;

const noNames: NumberedNames = { numbers: [], more: false };
const noFacts: SpanFacts = { errors: 0, models: noNames, tools: noNames, costs: [], unpricedTokens: 0 };

const modelOf = ({ model }: Span): readonly string[] => (model === null || model === "" ? [] : [model]);
const toolOf = ({ kind, name }: Span): readonly string[] => (kind === "TOOL" ? [name] : []);

/** The names in some spans, each once. */
export const namesIn = (spans: readonly Span[]): { readonly models: Set<string>; readonly tools: Set<string> } => ({
  models: new Set(spans.flatMap(modelOf)),
  tools: new Set(spans.flatMap(toolOf)),
});

const united = (before: NumberedNames, added: Iterable<number>, most: number): NumberedNames => {
  const all = [...new Set([...before.numbers, ...added])].toSorted((a, b) => a - b);
  return { numbers: all.slice(0, most), more: before.more || all.length > most };
};

const amount = (values: JsonObject | null, key: string): number => {
  const value = toDouble(values?.[key] ?? 0);
  return typeof value === "number" ? value : 0;
};

/** Each span's own are rounded, so that sums of sums are the sums of all. */
const tokensOf = ({ token_usage: usage }: Span): number =>
  Math.round(amount(usage, "prompt_tokens") + amount(usage, "completion_tokens"));

/** Spans whose tokens count and whose cost nobody tells. */
const unpricedOf = (spans: readonly Span[], { tokens, costs }: WrappedCalls): readonly Span[] =>
  spans.filter(
    (span) => !tellsCost(span) && !tokens.has(span.span_id) && !costs.has(span.span_id) && listedCost(span) === null,
  );

const tokensIn = (spans: readonly Span[], before = 0): number =>
  spans.reduce((sum, span) => Math.min(Number.MAX_SAFE_INTEGER, sum + tokensOf(span)), before);

/** Tokens of some spans that no cost is known for, 2^53 - 1 at most. */
export const unpricedTokens = (spans: readonly Span[]): number => tokensIn(unpricedOf(spans, wrappedCalls(spans)));

/**
 * What a row says of a trace's spans once others have come: the same as of all of them, whatever order they come in, as long
 * as none of the new ones was there before, or is one of two spans for one call of a model (see `wrappedCalls`) whose other
 * one was.
 */
export const withSpans = (before: SpanFacts, spans: readonly Span[], { model, tool }: NameNumbers): SpanFacts => {
  const wrapped = wrappedCalls(spans);
  const { models, tools } = namesIn(spans);
  const counted = spans.filter((span) => !wrapped.costs.has(span.span_id));
  const tells: Readonly<Record<CostSource, boolean>> = {
    client: counted.some(tellsCost),
    prices: counted.some((span) => listedCost(span) !== null),
  };
  return {
    errors: before.errors + spans.filter(({ status, error }) => status === "ERROR" || error !== null).length,
    models: united(before.models, [...models].map(model), mostModels),
    tools: united(before.tools, [...tools].map(tool), mostTools),
    costs: costSources.filter((source) => before.costs.includes(source) || tells[source]),
    unpricedTokens: tokensIn(unpricedOf(spans, wrapped), before.unpricedTokens),
  };
};

/** What a row says of a trace's spans. */
export const spanFactsOf = (spans: readonly Span[], numbers: NameNumbers): SpanFacts =>
  withSpans(noFacts, spans, numbers);
