import type { JsonObject } from "../../domain/json.ts";
import type { SessionSignals, SignalWeights } from "../../domain/scores/signals.ts";
import type { NoScore, Scored } from "../../judge/metric.ts";

/** Signals of a session's traces by trace id, oldest first. A trace without any signal has an empty object. */
export type SignalsByTrace = ReadonlyMap<string, SessionSignals>;

/** A metric of sessions: arithmetic over the scores of their traces, no judge is asked. */
export interface SessionMetric {
  readonly name: string;
  /** What it evaluates, and in a second sentence how. */
  readonly description: string;
  readonly category: "session";
  /** A score of at least this is a success. */
  readonly threshold: number;
  readonly score: (signals: SignalsByTrace, weights: SignalWeights) => Scored | NoScore;
}

/** What a session's score is stored with; `value` is null when it FAILED. */
interface SessionJudgement {
  readonly value: number | null;
  readonly reason: string;
  /** At most 16 KB as JSON. */
  readonly metadata: JsonObject;
}

/** Scores a session with a metric. The metadata of a failure begins with its code. */
export const judgeSession = (
  metric: SessionMetric,
  signals: SignalsByTrace,
  weights: SignalWeights,
): SessionJudgement => {
  const { value, reason, details, ...rest } = metric.score(signals, weights);
  if (value === null) return { value, reason, metadata: { ...rest, ...details } };
  const success = value >= metric.threshold;
  return { value, reason, metadata: { ...details, threshold: metric.threshold, success } };
};
