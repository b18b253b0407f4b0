import { instantAt, type Instant } from "../instant.ts";
import type { AlertSettings, AlertSignal, AlertWindow } from "./fields.ts";

/** Lengths of windows in minutes. */
const windowMinutes: Readonly<Record<AlertWindow, number>> = {
  "5m": 5,
  "15m": 15,
  "30m": 30,
  "1h": 60,
  "6h": 360,
  "24h": 1_440,
  "7d": 10_080,
};

/** Maximum number of rules in a project. */
export const maxAlerts = 100;

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

type Windows = Pick<AlertRule, "anchor"> & { readonly settings: Pick<AlertSettings, "window" | "compare_with"> };

/** Returns the end of the window that contains an instant, epoch milliseconds; null before the first window. */
export const windowEndAt = ({ anchor, settings: { window } }: Windows, at: number): number | null => {
  const length = windowLength(window);
  return at < anchor ? null : anchor + (Math.floor((at - anchor) / length) + 1) * length;
};

/** Returns the end of the window with which the window that ends at `end` is compared; null for a threshold. */
export const baselineEnd = ({ window, compare_with: baseline }: Windows["settings"], end: number): number | null =>
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
  score_is: { kind: "rate", worse: "higher" },
  score_is_not: { kind: "rate", worse: "higher" },
  error_rate: { kind: "rate", worse: "higher" },
  latency_p50: percentile(0.5),
  latency_p90: percentile(0.9),
  latency_p99: percentile(0.99),
  cost: { kind: "total", worse: "higher" },
  tokens: { kind: "total", worse: "higher" },
  volume: { kind: "total", worse: "volume" },
};

/** Significance of a rule that names none: a total is a fact, all other figures are estimates. */
export const defaultSignificance = (signal: AlertSignal): boolean => figures[signal].kind !== "total";

/** True for the share of scores that have a category, or another one. */
export const isCategorySignal = (signal: AlertSignal): boolean => signal === "score_is" || signal === "score_is_not";

export const isScoreSignal = (signal: AlertSignal): boolean =>
  signal === "score_mean" || signal === "score_below" || isCategorySignal(signal);

/** Returns the settings that decide what a rule counts, and in which window, as text. */
const countedText = ({ enabled, filters, signal, metric_name, window, ...settings }: AlertSettings): string =>
  JSON.stringify([
    [enabled, filters, signal, metric_name, window],
    signal === "score_below" && settings.below,
    isCategorySignal(signal) && settings.category,
    // Traces slower than a fixed threshold are counted.
    figures[signal].kind === "percentile" && settings.compare_with === "threshold" && settings.threshold,
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
