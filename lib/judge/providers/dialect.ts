import type { Lesson } from "./refusal.ts";

/**
 * How an answer's form is asked for: by a strict schema, as some JSON, as the call of a tool that the model has to make or
 * may; or by the question alone, which tells the schema where no strict schema does.
 */
export type AnswerFormat = "json_schema" | "json_object" | "forced_tool" | "tool" | "text";

/** What is tried where a model does not take a format. */
const plainer: Readonly<Record<AnswerFormat, AnswerFormat | null>> = {
  json_schema: "json_object",
  json_object: "text",
  forced_tool: "tool",
  tool: "text",
  text: null,
};

/** What a model's server takes in a request. */
export interface Dialect {
  readonly format: AnswerFormat;
  /** What it calls the limit of output tokens. */
  readonly limit: "max_completion_tokens" | "max_tokens";
  /** Output tokens that it gives at most. */
  readonly mostTokens: number;
  readonly temperature: boolean;
  readonly effort: boolean;
  /** Whether what is to be cached is marked in the request. */
  readonly cache: boolean;
}

export const strictDialect: Dialect = {
  format: "json_schema",
  limit: "max_completion_tokens",
  mostTokens: Infinity,
  temperature: true,
  effort: true,
  cache: false,
};

/** What an operator says that a provider's models take; the rest is learned. */
export type GivenDialect = Partial<Pick<Dialect, "format" | "limit">>;

/** Fewer output tokens than that are not tried. */
const fewestTokens = 1024;

/** What a model's server may still take after a refusal; null where the refusal teaches nothing new. */
const afterRefusal = (dialect: Dialect, { about, fewer }: Lesson, asked: number): Dialect | null => {
  if (dialect.temperature && about.has("temperature")) return { ...dialect, temperature: false };
  if (dialect.effort && about.has("effort")) return { ...dialect, effort: false };
  if (about.has("max_tokens") || about.has("max_completion_tokens")) {
    const other = dialect.limit === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    const half = Math.floor(Math.min(dialect.mostTokens, asked) / 2);
    if (fewer) return half < fewestTokens ? null : { ...dialect, mostTokens: half };
    return dialect.limit === strictDialect.limit || about.has(other) ? { ...dialect, limit: other } : null;
  }
  if (dialect.cache && about.has("cache")) return { ...dialect, cache: false };
  const next = plainer[dialect.format];
  return next !== null && about.has("format") ? { ...dialect, format: next } : null;
};

/** The dialects of a server's models, as its refusals have taught them: remembered as long as its client is. */
export const learnedDialects = (first: Dialect) => {
  const known = new Map<string, Dialect>();
  const of = (model: string): Dialect => known.get(model) ?? first;
  return {
    of,
    /** Whether a refusal taught something. */
    learn: (model: string, lesson: Lesson, asked: number): boolean => {
      const next = afterRefusal(of(model), lesson, asked);
      if (next !== null) known.set(model, next);
      return next !== null;
    },
  };
};

/** Different requests for one question: more than there is to learn. */
export const mostRefusals = 8;
