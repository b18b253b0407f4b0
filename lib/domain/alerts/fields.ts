import type { Fields, ValuesOf } from "../fields.ts";

/** What a rule measures in each window. */
export const alertSignals = [
  "score_mean",
  "score_below",
  "score_is",
  "score_is_not",
  "error_rate",
  "latency_p50",
  "latency_p90",
  "latency_p99",
  "cost",
  "tokens",
  "volume",
] as const;

/** Lengths of windows. */
export const alertWindows = ["5m", "15m", "30m", "1h", "6h", "24h", "7d"] as const;

/** Largest value of a threshold: a cost, a number of tokens or traces, or milliseconds. */
const maxThreshold = 1e15;
const threshold = { kind: "number", min: -maxThreshold, max: maxThreshold } as const;

/** Settings of an alert rule. The contract describes them. */
export const alertFields = {
  name: { kind: "name", max: 1024 },
  filters: { kind: "object", default: {} },
  signal: { kind: "one_of", values: alertSignals },
  window: { kind: "one_of", values: alertWindows },
  metric_name: { kind: "name", max: 255, nullable: true, default: null, stored: "metric" },
  below: { ...threshold, default: 0.5 },
  category: { kind: "text", max: 255, nullable: true, default: null },
  compare_with: {
    kind: "one_of",
    values: ["threshold", "previous_window", "last_week"],
    default: "threshold",
    stored: "baseline",
  },
  threshold,
  minimum_count: { kind: "integer", min: 1, max: 1_000_000, computed: true, stored: "minimumCount" },
  significance: { kind: "boolean", computed: true },
  no_data: { kind: "one_of", values: ["ok", "alert", "keep"], default: "ok", stored: "noData" },
  severity: { kind: "one_of", values: ["info", "warning", "critical"], default: "warning" },
  repeat_every: { kind: "one_of", values: alertWindows, nullable: true, stored: "repeatEvery" },
  announce_scores: { kind: "boolean", default: false, stored: "announceScores" },
  enabled: { kind: "boolean", default: true },
} as const satisfies Fields;

/** Settings of a rule that the user can change. */
export type AlertSettings = ValuesOf<typeof alertFields>;

export type AlertSignal = AlertSettings["signal"];
export type AlertWindow = AlertSettings["window"];
