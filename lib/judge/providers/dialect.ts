import type {
  AnswerFormat,
  Complete,
  Completion,
  CompletionRequest,
  Dialect,
  ProviderClient,
  RefusalHints,
} from "./provider.ts";
import { tokensLeftOf } from "./window.ts";

/** Next simpler format to try when a model refuses one; null after the simplest. */
const simplerFormats: Readonly<Record<AnswerFormat, AnswerFormat | null>> = {
  json_schema: "json_object",
  json_object: "text",
  forced_tool: "tool",
  tool: "text",
  text: null,
};

/** Dialect of OpenAI's current API, with a strict schema and all parameters. */
export const strictDialect: Dialect = {
  format: "json_schema",
  limit: "max_completion_tokens",
  maxTokens: Infinity,
  takesTemperature: true,
  takesEffort: true,
  marksCache: false,
};

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

/** Maximum refused requests per question, a limit above the number of parameters that can be adapted. */
const maxRefusals = 8;

/**
 * Creates a client that sends each model the request parameters it accepts (its request dialect): a refused call is repeated
 * at once in an adapted dialect. Refused requests are not billed.
 *
 * @param first initial dialect of every model.
 */
export const withDialectLearning = (
  first: Dialect,
  now: () => number,
  call: (request: CompletionRequest, dialect: Dialect) => Promise<Completion>,
): Pick<ProviderClient, "complete" | "sampling"> => {
  const dialects = new Map<string, Dialect>();
  const dialectOf = (model: string): Dialect => dialects.get(model) ?? first;
  const complete: Complete = async (request) => {
    const { model, timeout } = request;
    const until = now() + timeout;
    let { outputTokens } = request;
    for (let refusals = 0; ; refusals += 1) {
      const timeLeft = Math.max(1, Math.min(timeout, until - now()));
      const completion = await call({ ...request, outputTokens, timeout: timeLeft }, dialectOf(model));
      if (completion.kind === "answer" || completion.hints === null || refusals === maxRefusals) return completion;
      const { windowUse, isPromptTooLong } = completion.hints;
      if (isPromptTooLong) {
        // What this prompt leaves of the window says nothing about other prompts.
        const limit = Math.min(outputTokens, dialectOf(model).maxTokens);
        const tokensLeft = windowUse === null || !completion.isUnbilled ? null : tokensLeftOf(windowUse, limit);
        if (tokensLeft === null || now() >= until) return completion;
        outputTokens = tokensLeft;
        continue;
      }
      const next = afterRefusal(dialectOf(model), completion.hints, outputTokens);
      if (next !== null) dialects.set(model, next);
      if (next === null || now() >= until) return completion;
    }
  };
  return {
    complete,
    sampling: (model, effort) => {
      const dialect = dialectOf(model);
      return { temperature: dialect.takesTemperature ? 0 : null, effort: dialect.takesEffort ? effort : null };
    },
  };
};

/** Returns a question followed by the JSON schema of its answer, for requests without a schema parameter. */
export const withSchemaText = ({ question, schema }: Pick<CompletionRequest, "question" | "schema">): string =>
  `${question}\n\nAnswer with one JSON object and nothing before or after it. Write its fields in the order of this JSON Schema, which it has to fit:\n${JSON.stringify(schema)}`;
