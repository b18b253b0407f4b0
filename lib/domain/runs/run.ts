import type { Instant } from "../instant.ts";
import type { JsonObject } from "../json.ts";
import { addDollars, roundDollars } from "./budget.ts";
import type { JudgeCascade } from "./cascade.ts";
import type { SignalWeights } from "../scores/signals.ts";
import type { ServiceTier } from "./tier.ts";

export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "FAILED"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Types of targets that a run evaluates. */
export const targetTypes = ["TRACE", "SESSION"] as const;
export type TargetType = (typeof targetTypes)[number];

/** The request of a run with resolved defaults; never changes. */
export interface RunOrder {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** Filters of the targets, as requested. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  /** Judge model as requested; null for the system's default. */
  readonly model: string | null;
  /** The judge model that the run calls. */
  readonly resolvedModel: string;
  /** The run's judges if they are two; `model` and `resolvedModel` are then the first one. */
  readonly judge?: JudgeCascade | undefined;
  /** Service tier of the judge calls. */
  readonly tier: ServiceTier;
  readonly monitorId: string | null;
  readonly retryOf: string | null;
  /** Monitor whose run is retried; absent for other runs. The retry is no run of the monitor, but its end counts for the monitor's alert. */
  readonly retriedMonitorId?: string | undefined;
  /** True if targets are judged one at a time, in their order. */
  readonly sequential: boolean;
  /**
   * Weights of the signals (trace scores that session metrics are computed from), as requested; null for the defaults.
   * Not part of any response.
   */
  readonly signalWeights: Readonly<Partial<SignalWeights>> | null;
  /** Maximum cost of the run in US dollars; null for no limit. */
  readonly maxCostUsd: number | null;
  readonly total: number;
  readonly createdAt: Instant;
  /** Message for the user of a run without targets; null if there are targets. */
  readonly emptyMessage: string | null;
}

/** A target of a new run. */
export interface RunTarget {
  /** Id of the target, a trace or session. */
  readonly id: string;
  /** Indices in the run's list of metrics to evaluate for this target; null for all metrics. */
  readonly metrics: readonly number[] | null;
  /** For a session, a lower bound of its number of traces; 0 if unknown, and for a trace. */
  readonly traces: number;
}

/** Creates targets that are evaluated with all metrics of the run. */
export const wholeTargets = (ids: readonly string[]): readonly RunTarget[] =>
  ids.map((id) => ({ id, metrics: null, traces: 0 }));

/** Progress of a run in targets and (target, metric) pairs; the numbers never decrease. */
export interface RunCounts {
  /** Targets with all pairs settled, including failed and missing ones. */
  readonly evaluated: number;
  /** Pairs without a successful score. */
  readonly failed: number;
  /** Pairs with a successful score. */
  readonly scored: number;
  /** Targets that no longer exist. */
  readonly missing: number;
  /** Failed pairs of targets that no longer exist. */
  readonly lost: number;
}

/** An evaluation run: the request, the current status and progress. */
export interface Run extends RunCounts {
  readonly order: RunOrder;
  readonly status: RunStatus;
  readonly usage: JudgeUsage;
  /** Reason why the run cannot continue at the moment, for the user; null if it can. */
  readonly waitingFor: string | null;
  readonly completedAt: Instant | null;
  readonly errorMessage: string | null;
}

export const noCounts: RunCounts = { evaluated: 0, failed: 0, scored: 0, missing: 0, lost: 0 };

export const addCounts = (a: RunCounts, b: RunCounts): RunCounts => ({
  evaluated: a.evaluated + b.evaluated,
  failed: a.failed + b.failed,
  scored: a.scored + b.scored,
  missing: a.missing + b.missing,
  lost: a.lost + b.lost,
});

export const isTerminal = (status: RunStatus): boolean => status === "COMPLETED" || status === "FAILED";

/** Usage of judge models: calls, tokens and cost. */
export interface JudgeUsage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens read from the provider's cache; included in `promptTokens`. */
  readonly cachedTokens: number;
  /** Cost in US dollars; null if the price of any part is unknown. */
  readonly cost: number | null;
  /**
   * US dollars charged to budgets, if different from the cost because providers did not report the usage of some
   * calls, or because workers died during calls.
   */
  readonly charged?: number | undefined;
  /** Part of `charged`, US dollars: reservations of workers that died before they recorded what they spent. */
  readonly forfeit?: number | undefined;
  /** Pairs that a second judge was asked about; absent if there are none. */
  readonly escalated?: number | undefined;
  /**
   * US dollars by metric, in the order of the run's metrics; null if the price of any part is unknown. What belongs to no metric
   * is in none: calls after which a metric was judged again, and calls about traces for session metrics. Absent if nothing was spent on metrics.
   */
  readonly metricCosts?: readonly (number | null)[] | undefined;
}

export const noUsage: JudgeUsage = { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, cost: 0 };

/** Returns the US dollars of a usage that count towards budgets. */
export const chargedOf = ({ charged, cost }: JudgeUsage): number => charged ?? cost ?? 0;

/** Returns the US dollars of a usage that workers have recorded: those that count, without what dead workers forfeited. */
export const recordedCost = (usage: JudgeUsage): number => roundDollars(chargedOf(usage) - (usage.forfeit ?? 0));

/** Returns a usage with `forfeit` US dollars in total of dead workers' reservations. */
export const withForfeit = (usage: JudgeUsage, forfeit: number): JudgeUsage =>
  forfeit > (usage.forfeit ?? 0) ? { ...usage, charged: roundDollars(recordedCost(usage) + forfeit), forfeit } : usage;

/** Returns an upper bound of the US dollars of a usage that providers may have billed without reporting it. */
export const unreportedCost = ({ charged, cost }: JudgeUsage): number =>
  charged === undefined ? 0 : roundDollars(Math.max(0, charged - (cost ?? 0)));

export const addUsage = (a: JudgeUsage, b: JudgeUsage): JudgeUsage => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  cost: addDollars(a.cost, b.cost),
  ...((a.charged !== undefined || b.charged !== undefined) && { charged: roundDollars(chargedOf(a) + chargedOf(b)) }),
  ...((a.forfeit !== undefined || b.forfeit !== undefined) && {
    forfeit: roundDollars((a.forfeit ?? 0) + (b.forfeit ?? 0)),
  }),
  ...((a.escalated !== undefined || b.escalated !== undefined) && {
    escalated: (a.escalated ?? 0) + (b.escalated ?? 0),
  }),
  ...((a.metricCosts !== undefined || b.metricCosts !== undefined) && {
    metricCosts: (a.metricCosts ?? b.metricCosts ?? []).map((cost, index) =>
      a.metricCosts === undefined || b.metricCosts === undefined ? cost : addDollars(cost, b.metricCosts[index] ?? 0),
    ),
  }),
});

/**
 * Returns the usage of one pair with its part of the cost of its metric.
 *
 * @param place position of the metric among the run's `metrics`. @param costShift US dollars by which its part of a call's cost differs.
 */
export const usageOfMetric = (usage: JudgeUsage, place: number, metrics: number, costShift = 0): JudgeUsage => {
  const cost = usage.cost === null ? null : roundDollars(usage.cost + costShift);
  if (cost === 0) return usage;
  return { ...usage, metricCosts: Array.from({ length: metrics }, (_, index) => (index === place ? cost : 0)) };
};

/** Creates a run in its initial state, as the response of the creating request shows it. */
export const newRun = (order: RunOrder): Run => ({
  order,
  status: "PENDING",
  ...noCounts,
  usage: noUsage,
  waitingFor: null,
  completedAt: null,
  errorMessage: null,
});

/** The final status of a run, with a message for the user; the message is null if no judgement failed. */
export interface RunOutcome {
  readonly status: Extract<RunStatus, "COMPLETED" | "FAILED">;
  readonly errorMessage: string | null;
}

const nouns = { TRACE: ["trace", "traces"], SESSION: ["session", "sessions"] } as const;

const failures = (counts: RunCounts, example: string | null): string | null => {
  const failedCount = counts.failed - counts.lost;
  if (failedCount <= 0) return null;
  const total = counts.failed + counts.scored;
  const count = total === 1 ? "The judgement failed" : `${failedCount} of ${total} judgements failed`;
  if (example === null) return `${count}.`;
  return failedCount === 1 ? `${count}: ${example}` : `${count}, one of them because: ${example}`;
};

const missing = (order: RunOrder, counts: RunCounts): string | null => {
  if (counts.missing === 0) return null;
  const [singular, plural] = nouns[order.targetType];
  return counts.missing === 1 && order.total === 1
    ? `The ${singular} was not found.`
    : `${counts.missing} of ${order.total} ${plural} ${counts.missing === 1 ? "was" : "were"} not found.`;
};

/**
 * Computes the final status of a run whose pairs are all settled: COMPLETED if a score succeeded or there was nothing
 * to do.
 *
 * @param example reason of one failed judgement, for the user.
 */
export const outcomeOf = (order: RunOrder, counts: RunCounts, example: string | null): RunOutcome => {
  const parts = [order.emptyMessage, missing(order, counts), failures(counts, example)];
  const message = parts.filter((part) => part !== null).join(" ");
  return {
    status: counts.scored > 0 || order.total === 0 ? "COMPLETED" : "FAILED",
    errorMessage: message === "" ? null : message.slice(0, 2000),
  };
};
