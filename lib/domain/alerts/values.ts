import type { ScoreFact } from "../scores/statistics.ts";
import type { ListedTrace } from "../traces/row.ts";
import type { AlertSettings, AlertSignal } from "./fields.ts";
import { isCategorySignal } from "./rule.ts";

const latencyOf = ({ latency }: ListedTrace): number | null => latency;

const traceValues: Readonly<Record<AlertSignal, (trace: ListedTrace) => number | null>> = {
  error_rate: ({ status }) => Number(status === "ERROR"),
  latency_p50: latencyOf,
  latency_p90: latencyOf,
  latency_p99: latencyOf,
  cost: ({ totalCost }) => totalCost,
  tokens: ({ totalTokens }) => totalTokens,
  volume: () => 1,
  score_mean: () => null,
  score_below: () => null,
  score_is: () => null,
  score_is_not: () => null,
};

/** Returns the value of a trace for a signal; null if it has none. */
export const traceValue = (signal: AlertSignal, trace: ListedTrace): number | null => traceValues[signal](trace);

/** Returns the value of a score for a signal of scores; null if the score does not count. */
export const scoreValue = (
  { signal, below, category }: Pick<AlertSettings, "signal" | "below" | "category">,
  score: Omit<ScoreFact, "order">,
): number | null => {
  const { status, inapplicable = false, value } = score;
  if (status === "FAILED" || inapplicable) return null;
  if (isCategorySignal(signal))
    return score.category === undefined ? null : Number((score.category === category) === (signal === "score_is"));
  if (value === null) return null;
  return signal === "score_below" ? Number(value < below) : value;
};
