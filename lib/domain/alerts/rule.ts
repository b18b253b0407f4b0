import { instantAt, type Instant } from "../instant.ts";
import type { JsonObject } from "../json.ts";

/** What a rule measures in each window. */
export const alertSignals = [
  "score_mean",
  "score_below",
  "error_rate",
  "latency_p50",
  "latency_p90",
  "latency_p99",
  "cost",
  "tokens",
  "volume",
] as const;
export type AlertSignal = (typeof alertSignals)[number];

/** Lengths of windows in minutes. */
const windowMinutes = { "5m": 5, "15m": 15, "30m": 30, "1h": 60, "6h": 360, "24h": 1_440, "7d": 10_080 } as const;
export type AlertWindow = keyof typeof windowMinutes;
export const alertWindows: readonly AlertWindow[] = ["5m", "15m", "30m", "1h", "6h", "24h", "7d"];

/** What a window is compared with: a fixed value, the window before, or the same hours a week earlier. */
export const alertBaselines = ["threshold", "previous_window", "last_week"] as const;
export type AlertBaseline = (typeof alertBaselines)[number];

/** What a window with too little data means. */
export const noDataPolicies = ["ok", "alert", "keep"] as const;
type NoDataPolicy = (typeof noDataPolicies)[number];

export const alertSeverities = ["info", "warning", "critical"] as const;
type AlertSeverity = (typeof alertSeverities)[number];

/** Maximum number of rules in a project. */
export const maxAlerts = 100;

/** Settings of a rule that decide on a window. */
export interface AlertCondition {
  readonly signal: AlertSignal;
  /** Score name of the signals `score_mean` and `score_below`; null for others. */
  readonly metric: string | null;
  /** Score below which `score_below` counts a score. */
  readonly below: number;
  readonly window: AlertWindow;
  readonly baseline: AlertBaseline;
  /**
   * Worst value that is no alert; with another baseline the largest change that is none: a difference of means and rates, a
   * share of the baseline for latencies and totals.
   */
  readonly threshold: number;
  /** Traces or scores below which a window has too little data. */
  readonly minimumCount: number;
  /** True if the change must be significant at 99.5 %. */
  readonly significance: boolean;
}

/** Settings of a rule that the user can change. */
export interface AlertSettings extends AlertCondition {
  readonly name: string;
  /** Filters of traces, as requested. */
  readonly filters: JsonObject;
  readonly noData: NoDataPolicy;
  readonly severity: AlertSeverity;
  /** Pause between reminders of an alert that lasts; null for none. */
  readonly repeatEvery: AlertWindow | null;
  /** True to announce each score that `score_below` counts; absent for false. */
  readonly announceScores?: boolean | undefined;
  /** False while the rule is paused: nothing is counted for it. */
  readonly enabled: boolean;
}

/** A stored rule. Its windows follow each other from its anchor on. */
export interface AlertRule {
  readonly id: string;
  readonly projectId: string;
  readonly settings: AlertSettings;
  /** Increases when other values are counted than before; sums of another generation are not read. */
  readonly generation: number;
  /** Begin of the first window, epoch milliseconds, a whole minute: all workers know the rule by then. */
  readonly anchor: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Hash of the body of the creating request, for idempotent retries; absent if the request could not be retried. */
  readonly bodyHash?: string;
}

/** Milliseconds for which workers keep the rules of a project in memory. */
export const ruleCacheMilliseconds = 60_000;

const minute = 60_000;

/** Returns the begin of the first window of a rule that is stored now. */
export const anchorOf = (now: number): number => Math.ceil((now + ruleCacheMilliseconds) / minute) * minute;

/** Length of a window in milliseconds. */
export const windowLength = (window: AlertWindow): number => windowMinutes[window] * minute;

const week = windowLength("7d");

type Windows = Pick<AlertRule, "anchor"> & { readonly settings: Pick<AlertCondition, "window" | "baseline"> };

/** Returns the end of the window that contains an instant, epoch milliseconds; null before the first window. */
export const windowEndAt = ({ anchor, settings: { window } }: Windows, at: number): number | null => {
  const length = windowLength(window);
  return at < anchor ? null : anchor + (Math.floor((at - anchor) / length) + 1) * length;
};

/** Returns the end of the window with which the window that ends at `end` is compared; null for a threshold. */
export const baselineEnd = ({ window, baseline }: Windows["settings"], end: number): number | null =>
  baseline === "threshold" ? null : end - (baseline === "last_week" ? week : windowLength(window));

/** How a signal is computed, and which direction is worse. */
export type Figure =
  | { readonly kind: "mean"; readonly worse: "lower" }
  | { readonly kind: "rate"; readonly worse: "higher" }
  | { readonly kind: "percentile"; readonly worse: "higher"; readonly share: number }
  | { readonly kind: "total"; readonly worse: "higher" | "volume" };

const percentile = (share: number): Figure => ({ kind: "percentile", worse: "higher", share });

/** Figure of each signal. Of `volume` less than a threshold is worse, and a change in either direction. */
export const figures: Readonly<Record<AlertSignal, Figure>> = {
  score_mean: { kind: "mean", worse: "lower" },
  score_below: { kind: "rate", worse: "higher" },
  error_rate: { kind: "rate", worse: "higher" },
  latency_p50: percentile(0.5),
  latency_p90: percentile(0.9),
  latency_p99: percentile(0.99),
  cost: { kind: "total", worse: "higher" },
  tokens: { kind: "total", worse: "higher" },
  volume: { kind: "total", worse: "volume" },
};

export const isScoreSignal = (signal: AlertSignal): boolean => signal === "score_mean" || signal === "score_below";

/** Returns the settings that decide what a rule counts, and in which window, as text. */
const countedText = ({ enabled, filters, signal, metric, below, window, baseline, threshold }: AlertSettings): string =>
  JSON.stringify([
    [enabled, filters, signal, metric, window],
    signal === "score_below" && below,
    // Traces slower than a fixed threshold are counted.
    figures[signal].kind === "percentile" && baseline === "threshold" && threshold,
  ]);

/**
 * Returns a rule with other settings. If they count other values, its windows begin anew.
 *
 * @param now epoch milliseconds.
 */
export const withAlertSettings = (rule: AlertRule, settings: AlertSettings, now: number): AlertRule => ({
  ...rule,
  settings: { ...rule.settings, ...settings },
  updatedAt: instantAt(now),
  ...(countedText(settings) !== countedText(rule.settings) && {
    generation: rule.generation + 1,
    anchor: anchorOf(now),
  }),
});
