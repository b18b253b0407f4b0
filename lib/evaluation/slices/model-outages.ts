import { fullModelName } from "../../domain/runs/model.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import { nextAttemptAt } from "./retry-policy.ts";

/** Models of which a delivery had answers, and models that gave none though they were called. */
export interface ModelAnswers {
  readonly answered: readonly string[];
  readonly unanswered: readonly string[];
}

/** Models that do not answer, as this process has seen it. */
export interface ModelOutages {
  readonly note: (answers: ModelAnswers) => void;
  /**
   * Returns the instant, epoch milliseconds, before which runs with other models come before this one: 30 s after a model
   * did not answer, twice as long each further time, at most 15 minutes. 0 if its models answer.
   */
  readonly until: (order: Pick<RunOrder, "resolvedModel" | "judge">) => number;
  readonly hasAny: () => boolean;
}

/** Creates the memory of the models that do not answer. */
export const modelOutages = (now: () => number): ModelOutages => {
  const outages = new Map<string, { readonly failures: number; readonly until: number }>();
  return {
    note: ({ answered, unanswered }) => {
      for (const model of unanswered) {
        const { failures, until } = outages.get(model) ?? { failures: 0, until: 0 };
        // Deliveries in the meantime are no further outage: nobody else had waited.
        if (until > now()) continue;
        outages.set(model, { failures: failures + 1, until: nextAttemptAt(now(), false, failures + 1, []) });
      }
      for (const model of answered) outages.delete(model);
    },
    until: ({ resolvedModel, judge }) =>
      Math.max(
        ...[resolvedModel, judge?.escalate.to ?? ""].map((model) => outages.get(fullModelName(model))?.until ?? 0),
      ),
    hasAny: () => [...outages.values()].some(({ until }) => until > now()),
  };
};
