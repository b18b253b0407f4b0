import type { JsonObject } from "../../domain/json.ts";
import type { SessionSignals, SignalName, SignalWeights } from "../../domain/scores/signals.ts";
import type { NoScore, MetricScore } from "../../judge/metric/metric.ts";
import { rounded } from "../../domain/scores/score.ts";

/** Signals (trace scores in [0, 1]) of a session's traces by trace id, oldest trace first; {} for a trace without any. */
export type SignalsByTrace = ReadonlyMap<string, SessionSignals>;

/** Computes the score of a session from the scores of its traces that the metric uses (signals). */
export type SessionScorer = (signals: SignalsByTrace, weights: SignalWeights) => MetricScore | NoScore;

/** Clamps a number to [0, 1]. */
export const withinUnit = (value: number): number => Math.min(1, Math.max(0, value));

/** Metadata field of a session score that contains the risk of a trace, by the trace score (signal) it comes from. */
const riskFieldNames = {
  confidence: "confidence_risk",
  loop_detection: "loop_risk",
  tool_correctness: "tool_risk",
  coherence: "coherence_risk",
} as const satisfies Record<SignalName, string>;

const signalOrder = ["confidence", "loop_detection", "tool_correctness", "coherence"] as const;

/** Computes the risk of each trace score that a session metric uses (signal): 1 minus the score. */
export const risksOf = (signals: SessionSignals): readonly (readonly [signal: SignalName, risk: number])[] =>
  signalOrder.flatMap((name) => {
    const score = signals[name];
    return score === undefined ? [] : [[name, 1 - score] as const];
  });

/** Returns the risks of a trace as fields of a score's metadata. */
export const riskFields = (signals: SessionSignals): JsonObject =>
  Object.fromEntries(risksOf(signals).map(([name, risk]) => [riskFieldNames[name], rounded(risk)]));

/** Returns the outcome of a session whose traces lack the needed scores: no session score, with the code `no_signals`. */
export const noSignals = (signals: SignalsByTrace, needed: readonly SignalName[]): NoScore => ({
  value: null,
  code: "no_signals",
  reason:
    signals.size === 0
      ? "The session has no traces."
      : `None of the session's traces has a usable score of ${needed.join(", ")}, and none could be computed.`,
  details: { total_traces_in_session: signals.size, traces_evaluated: 0 },
});

/** Maximum traces listed in the metadata of a session score (16 KB); a trace takes about 180 bytes. */
const maxListedTraces = 60;

/** Contribution of a trace to a session's score. */
interface TraceContribution {
  readonly trace: string;
  /** Amount by which the trace lowers the score; used only to sort traces. */
  readonly weight: number;
  /** Fields of the trace in the score's metadata. */
  readonly fields: JsonObject;
}

/** Builds the metadata that lists traces' contributions to a session score: the 60 largest, and the number of omitted traces. */
export const contributionFields = (shares: readonly TraceContribution[]): JsonObject => {
  const largestShares = shares.toSorted((a, b) => b.weight - a.weight).slice(0, maxListedTraces);
  const listedIds = new Set(largestShares.map(({ trace }) => trace));
  const listedShares = shares.filter(({ trace }) => listedIds.has(trace));
  const omittedCount = shares.length - listedShares.length;
  return {
    per_trace_signals: Object.fromEntries(listedShares.map((share) => [share.trace, share.fields])),
    ...(omittedCount === 0 ? {} : { traces_left_out: omittedCount }),
  };
};
