import { learnedDialects, mostRefusals, type Dialect } from "./dialect.ts";
import type { Complete, Completion, CompletionRequest, ProviderClient } from "./provider.ts";

/**
 * Makes a question's call in the dialect of its model, and again where a refusal teaches another one: a refused request is
 * billed by nobody.
 *
 * @param first what models are thought to take before they have refused anything.
 */
export const learning = (
  first: Dialect,
  now: () => number,
  call: (request: CompletionRequest, dialect: Dialect) => Promise<Completion>,
): Pick<ProviderClient, "complete" | "sampling"> => {
  const dialects = learnedDialects(first);
  const complete: Complete = async (request) => {
    const { model, outputTokens, timeout } = request;
    const until = now() + timeout;
    for (let refusals = 0; ; refusals += 1) {
      const left = Math.max(1, Math.min(timeout, until - now()));
      const completion = await call({ ...request, timeout: left }, dialects.of(model));
      if (completion.kind === "answer" || completion.lesson === null || refusals === mostRefusals) return completion;
      if (!dialects.learn(model, completion.lesson, outputTokens) || now() >= until) return completion;
    }
  };
  return {
    complete,
    sampling: (model, effort) => {
      const dialect = dialects.of(model);
      return { temperature: dialect.temperature ? 0 : null, effort: dialect.effort ? effort : null };
    },
  };
};
