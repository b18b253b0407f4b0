import type { RefusalHints } from "./refusal.ts";

/**
 * Technique that makes a model answer in JSON: a strict schema, JSON mode, a tool call that is required or optional, or plain
 * text. Except for a strict schema and tools, the question's text contains the schema.
 */
export type AnswerFormat = "json_schema" | "json_object" | "forced_tool" | "tool" | "text";

/** Next simpler format to try when a model refuses one; null after the simplest. */
const simplerFormats: Readonly<Record<AnswerFormat, AnswerFormat | null>> = {
  json_schema: "json_object",
  json_object: "text",
  forced_tool: "tool",
  tool: "text",
  text: null,
};

/** Request parameters that a model's server accepts. */
export interface Dialect {
  readonly format: AnswerFormat;
  /** Name of the parameter that limits output tokens. */
  readonly limit: "max_completion_tokens" | "max_tokens";
  /** Maximum value of the output token limit. */
  readonly maxTokens: number;
  readonly takesTemperature: boolean;
  readonly takesEffort: boolean;
  /** True if requests contain a cache breakpoint. */
  readonly marksCache: boolean;
}

/** Dialect of OpenAI's current API, with a strict schema and all parameters. */
export const strictDialect: Dialect = {
  format: "json_schema",
  limit: "max_completion_tokens",
  maxTokens: Infinity,
  takesTemperature: true,
  takesEffort: true,
  marksCache: false,
};

/** The part of a dialect that an operator can set per provider; other parameters are learned from refusals. */
export type DialectSettings = Partial<Pick<Dialect, "format" | "limit">>;

/** Smallest output token limit to try after refusals. */
const minOutputTokens = 1024;

/** Returns the request dialect to try after a refusal; null if the refusal suggests no change. */
const afterRefusal = (
  dialect: Dialect,
  { subjects, requiresFewerTokens }: RefusalHints,
  outputTokens: number,
): Dialect | null => {
  if (dialect.takesTemperature && subjects.has("temperature")) return { ...dialect, takesTemperature: false };
  if (dialect.takesEffort && subjects.has("effort")) return { ...dialect, takesEffort: false };
  if (subjects.has("max_tokens") || subjects.has("max_completion_tokens")) {
    const otherName = dialect.limit === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    const half = Math.floor(Math.min(dialect.maxTokens, outputTokens) / 2);
    if (requiresFewerTokens) return half < minOutputTokens ? null : { ...dialect, maxTokens: half };
    return dialect.limit === strictDialect.limit || subjects.has(otherName) ? { ...dialect, limit: otherName } : null;
  }
  if (dialect.marksCache && subjects.has("cache")) return { ...dialect, marksCache: false };
  const next = simplerFormats[dialect.format];
  return next !== null && subjects.has("format") ? { ...dialect, format: next } : null;
};

/** Creates an in-memory store of the request dialects of a server's models, learned from its refusals. @param first initial dialect of every model. */
export const learnedDialects = (first: Dialect) => {
  const dialects = new Map<string, Dialect>();
  const dialectOf = (model: string): Dialect => dialects.get(model) ?? first;
  return {
    dialectOf,
    /** Adapts a model's dialect to a refusal; false if there is nothing to change. */
    learn: (model: string, hints: RefusalHints, outputTokens: number): boolean => {
      const next = afterRefusal(dialectOf(model), hints, outputTokens);
      if (next !== null) dialects.set(model, next);
      return next !== null;
    },
  };
};

/** Maximum refused requests per question, a limit above the number of parameters that can be adapted. */
export const maxRefusals = 8;
