import { addUsage, noUsage } from "../../domain/runs/run.ts";
import type { Judge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import { logContext, type LogContext } from "../../log-context.ts";
import { publishMetrics } from "../../published-metrics.ts";
import { usageOf } from "./settled-pairs.ts";

/**
 * Observes a judge and publishes service metrics of each slice delivery: calls, known cost, and provider unavailability, which
 * means that every judgement was deferred. A function processes one delivery at a time.
 */
export const judgeReport = () => {
  const none = { usage: noUsage, answered: 0, deferred: 0, model: "", context: {} as LogContext };
  let { usage, answered, deferred, model, context } = none;

  const count = (verdict: Verdict): Verdict => {
    usage = addUsage(usage, usageOf(verdict.metadata));
    if (verdict.kind === "deferred") deferred += verdict.unfunded ? 0 : 1;
    else answered += 1;
    return verdict;
  };

  const watch = (judge: Judge): Judge => ({
    readiness: (requestedModel) => judge.readiness(requestedModel),
    target: (request) => {
      const target = judge.target(request);
      ({ model } = request);
      context = logContext();
      const { shared } = target;
      return {
        score: async (...question) => count(await target.score(...question)),
        ...(shared !== undefined && {
          shared: {
            groupsOf: (metrics) => shared.groupsOf(metrics),
            scoreAll: async (...group) => (await shared.scoreAll(...group)).map(count),
            setupOf: (...metric) => shared.setupOf(...metric),
          },
        }),
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
      { ...context, model, answered, deferred },
    );
    ({ usage, answered, deferred, model, context } = none);
  };

  /** Wraps a handler so that it publishes the service metrics at the end of each delivery, failed ones included. */
  const withReport =
    <Arguments extends readonly unknown[], Result>(handle: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        return await handle(...args);
      } finally {
        publish();
      }
    };

  return { watched: watch, published: withReport };
};
