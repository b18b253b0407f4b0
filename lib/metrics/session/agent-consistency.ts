import { rounded } from "../../domain/scores/score.ts";
import { noSignals, contributionFields, risksOf, riskFields, withinUnit, type SessionScorer } from "./signal-risks.ts";

const sentence = (score: number, traces: number): string => {
  const over = `over ${traces} evaluated ${traces === 1 ? "trace" : "traces"}`;
  if (score >= 0.8) return `The agent acted consistently ${over}.`;
  return score >= 0.5 ? `The agent showed moderate instability ${over}.` : `The agent showed high instability ${over}.`;
};

/**
 * Scores the consistency of a session: 1 minus the root mean square of its traces' uncertainties. A trace's uncertainty is its
 * weighted lack of confidence, increased by its other risks.
 */
export const agentConsistency: SessionScorer = (signals, weights) => {
  const traces = [...signals].flatMap(([trace, traceSignals]) => {
    if (traceSignals.confidence === undefined) return [];
    const penalty = risksOf(traceSignals)
      .filter(([name]) => name !== "confidence")
      .reduce((sum, [name, risk]) => sum + weights[name] * risk, 0);
    const uncertainty = (1 + penalty) * (weights.confidence * (1 - traceSignals.confidence));
    return [{ trace, traceSignals, penalty, uncertainty }];
  });
  if (traces.length === 0) return noSignals(signals, ["confidence"]);
  const rms = Math.sqrt(traces.reduce((sum, { uncertainty }) => sum + uncertainty ** 2, 0) / traces.length);
  const value = rounded(withinUnit(1 - rms));
  const shares = traces.map(({ trace, traceSignals, penalty, uncertainty }) => ({
    trace,
    weight: uncertainty,
    fields: {
      ...riskFields(traceSignals),
      situational_penalty: rounded(penalty),
      weighted_uncertainty: rounded(uncertainty),
    },
  }));
  return {
    value,
    reason: sentence(value, traces.length),
    details: {
      total_traces_in_session: signals.size,
      traces_evaluated: traces.length,
      raw_instability: rounded(rms),
      signal_weights: { ...weights },
      ...contributionFields(shares),
      aggregation: { method: "weighted_rms", rms_value: rounded(rms) },
    },
  };
};
