import { learnedDialects, maxRefusals, type Dialect } from "./dialect.ts";
import type { Complete, Completion, CompletionRequest, ProviderClient } from "./provider.ts";

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
  const dialects = learnedDialects(first);
  const complete: Complete = async (request) => {
    const { model, outputTokens, timeout } = request;
    const until = now() + timeout;
    for (let refusals = 0; ; refusals += 1) {
      const timeLeft = Math.max(1, Math.min(timeout, until - now()));
      const completion = await call({ ...request, timeout: timeLeft }, dialects.dialectOf(model));
      if (completion.kind === "answer" || completion.hints === null || refusals === maxRefusals) return completion;
      if (!dialects.learn(model, completion.hints, outputTokens) || now() >= until) return completion;
    }
  };
  return {
    complete,
    sampling: (model, effort) => {
      const dialect = dialects.dialectOf(model);
      return { temperature: dialect.takesTemperature ? 0 : null, effort: dialect.takesEffort ? effort : null };
    },
  };
};
