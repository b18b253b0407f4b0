import type { JsonObject } from "../../domain/json.ts";
import type { SessionSignals, SignalName, SignalWeights } from "../../domain/scores/signals.ts";
import type { NoScore, Scored } from "../../judge/metric.ts";
import { rounded } from "../../domain/scores/score.ts";

/** Signals of a session's traces by trace id, oldest first. A trace without any signal has an empty object. */
export type SignalsByTrace = ReadonlyMap<string, SessionSignals>;

/** Scores a session by the signals of its traces. */
export type ScoreSession = (signals: SignalsByTrace, weights: SignalWeights) => Scored | NoScore;

/** A number brought into [0, 1]. */
export const withinUnit = (value: number): number => Math.min(1, Math.max(0, value));

/** Names of the signals' risks in a score's metadata. */
const riskNames = {
  confidence: "confidence_risk",
  loop_detection: "loop_risk",
  tool_correctness: "tool_risk",
  coherence: "coherence_risk",
} as const satisfies Record<SignalName, string>;

const inOrder = ["confidence", "loop_detection", "tool_correctness", "coherence"] as const;

/** How far a signal is from perfect, for each that a trace has. */
export const risksOf = (signals: SessionSignals): readonly (readonly [signal: SignalName, risk: number])[] =>
  inOrder.flatMap((name) => {
    const score = signals[name];
    return score === undefined ? [] : [[name, 1 - score] as const];
  });

/** Risks as a score's metadata shows them. */
export const shownRisks = (signals: SessionSignals): JsonObject =>
  Object.fromEntries(risksOf(signals).map(([name, risk]) => [riskNames[name], rounded(risk)]));

/** The outcome of a session in which nothing usable was measured: it is not perfect, it is unknown. */
export const noSignals = (signals: SignalsByTrace, needed: readonly SignalName[]): NoScore => ({
  value: null,
  code: "no_signals",
  reason:
    signals.size === 0
      ? "The session has no traces."
      : `None of the session's traces has a usable score of ${needed.join(", ")}, and none could be computed.`,
  details: { total_traces_in_session: signals.size, traces_evaluated: 0 },
});

/** Traces that a score's metadata shows at most: of 16 KB each takes about 180 bytes. */
const mostShown = 60;

/** One trace's share in a session's score. */
interface TraceShare {
  readonly trace: string;
  /** The larger, the more it cost. */
  readonly weight: number;
  readonly shown: JsonObject;
}

/** What each trace contributed, by id and in order; of a long session only the traces that cost most, and how many are left out. */
export const perTraceSignals = (shares: readonly TraceShare[]): JsonObject => {
  const worst = shares.toSorted((a, b) => b.weight - a.weight).slice(0, mostShown);
  const kept = new Set(worst.map(({ trace }) => trace));
  const shown = shares.filter(({ trace }) => kept.has(trace));
  const leftOut = shares.length - shown.length;
  return {
    per_trace_signals: Object.fromEntries(shown.map((share) => [share.trace, share.shown])),
    ...(leftOut === 0 ? {} : { traces_left_out: leftOut }),
  };
};
