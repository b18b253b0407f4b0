import type { Json, JsonObject } from "../json.ts";
import { Refusal, type Violation } from "../refusal.ts";
import { countedUsage } from "./usage/counted-usage.ts";
import type { Span } from "./trace.ts";

/** Maximum characters of the preview in a list. */
const maxPreviewCharacters = 120;

/** Characters examined for a preview: far more than are shown, since white space is collapsed. */
const maxReadCharacters = 1_000;

/** Matches white space, control characters and marks that change the writing direction. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns the first characters of a trace's input on one line; null without input. Input other than text is shown as
 * JSON.
 */
export const previewOf = (input: Json): string | null => {
  if (input === null) return null;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const line = text.slice(0, maxReadCharacters).replaceAll(unprintable, " ").trim();
  return Array.from(line).slice(0, maxPreviewCharacters).join("").toWellFormed();
};

/** Maximum characters of a metadata value that can be used in filters. */
const maxValueCharacters = 128;

/** The value of a declared metadata key in a trace. */
export interface DeclaredValue {
  readonly key: string;
  /** The text, or the JSON of other values; null if it is too long for filters. */
  readonly value: string | null;
}

/** Fast path by UTF-16 length, since a code point has at most two code units. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * maxValueCharacters || Array.from(text).length > maxValueCharacters;

/** Returns the values of declared metadata keys in a trace. */
export const declaredValues = (metadata: JsonObject, keys: readonly string[]): readonly DeclaredValue[] =>
  keys
    .filter((key) => Object.hasOwn(metadata, key))
    .map((key) => {
      const value = metadata[key];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return { key, value: isTooLong(text) ? null : text };
    });

/**
 * Checks that filters use only metadata keys that the project has declared.
 *
 * @param loc returns the location of the field with a key.
 * @throws Refusal `invalid` naming the undeclared keys.
 */
export const checkDeclared = (
  filters: Readonly<Record<string, unknown>> | undefined,
  declared: readonly string[],
  loc: (key: string) => readonly string[],
): void => {
  const declaredText = declared.length === 0 ? "It has declared none" : `It has declared: ${declared.join(", ")}`;
  const violations = Object.keys(filters ?? {})
    .filter((key) => !declared.includes(key))
    .map((key): Violation => ({
      loc: [...loc(key)],
      msg: `Traces can be filtered only by metadata keys that the project declares in metadata_keys. ${declaredText}.`,
      type: "value_error",
    }));
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
};

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

/** Returns the tokens with unknown cost, at most 2^53 - 1. @param before those of other spans. */
export const unpricedTokens = (spans: readonly Span[], before = 0): number =>
  countedUsage(spans).reduce((sum, usage) => Math.min(Number.MAX_SAFE_INTEGER, sum + usage.unpricedTokens), before);

/**
 * Updates the facts of a trace with added spans. The result equals the facts of all spans in any order, provided that
 * no added span was there before, and that none is around or within another one so that both report usage (see
 * `addedKeys`).
 */
export const addSpanFacts = (before: SpanFacts, spans: readonly Span[], { model, tool }: NameNumbers): SpanFacts => {
  const { models, tools } = namesIn(spans);
  const sources = new Set(countedUsage(spans).map(({ costSource }) => costSource));
  return {
    errors: before.errors + spans.filter(({ status, error }) => status === "ERROR" || error !== null).length,
    models: mergeNames(before.models, [...models].map(model), maxModels),
    tools: mergeNames(before.tools, [...tools].map(tool), maxTools),
    costs: costSources.filter((source) => before.costs.includes(source) || sources.has(source)),
    unpricedTokens: unpricedTokens(spans, before.unpricedTokens),
  };
};

/** Computes the facts of a trace's spans. */
export const spanFactsOf = (spans: readonly Span[], numbers: NameNumbers): SpanFacts =>
  addSpanFacts(noFacts, spans, numbers);
