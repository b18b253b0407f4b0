import { addUsage, noUsage } from "../../domain/runs/judge-usage.ts";
import type { Judge } from "../../judge/judge.ts";
import { publishMetrics } from "../../published-metrics.ts";
import { usageOf } from "./settled-pairs.ts";

/**
 * Watches a judge and publishes what it did in each delivery of a slice: its calls, what they cost where that is known, and
 * whether its provider was away, which is when it put everything off. A function has one delivery at a time.
 */
export const judgeReport = () => {
  let [usage, answered, deferred, model] = [noUsage, 0, 0, ""];

  const watched = (judge: Judge): Judge => ({
    readiness: (asked) => judge.readiness(asked),
    target: (request) => {
      const target = judge.target(request);
      ({ model } = request);
      return {
        score: async (metric, deadline, purse) => {
          const verdict = await target.score(metric, deadline, purse);
          usage = addUsage(usage, usageOf(verdict.metadata));
          if (verdict.kind === "deferred") deferred += verdict.unfunded ? 0 : 1;
          else answered += 1;
          return verdict;
        },
      };
    },
  });

  const publish = (): void => {
    if (answered + deferred === 0) return;
    const { calls, cost } = usage;
    const away = answered === 0;
    publishMetrics(
      "judge_asked",
      { JudgeCalls: calls, ...(cost !== null && { JudgeCost: cost }), ...(away && { ProviderAway: 1 }) },
      { model, answered, deferred },
    );
    [usage, answered, deferred, model] = [noUsage, 0, 0, ""];
  };

  /** Has a handler publish at the end of each delivery, however it ends. */
  const published =
    <Arguments extends readonly unknown[], Result>(handle: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      try {
        return await handle(...given);
      } finally {
        publish();
      }
    };

  return { watched, published };
};
