import { rounded } from "../../domain/scores/score.ts";
import { noSignals, perTraceSignals, risksOf, shownRisks, withinUnit, type ScoreSession } from "./signal-risks.ts";

const sentence = (score: number, traces: number): string => {
  const over = `over ${traces} evaluated ${traces === 1 ? "trace" : "traces"}`;
  if (score >= 0.8) return `The agent acted consistently ${over}.`;
  return score >= 0.5 ? `The agent showed moderate instability ${over}.` : `The agent showed high instability ${over}.`;
};

/** How steady a session is: the uncertainty of each trace, raised by the risks around it, as a root mean square. */
export const agentConsistency: ScoreSession = (signals, weights) => {
  const traces = [...signals].flatMap(([trace, own]) => {
    if (own.confidence === undefined) return [];
    const penalty = risksOf(own)
      .filter(([name]) => name !== "confidence")
      .reduce((sum, [name, risk]) => sum + weights[name] * risk, 0);
    const uncertainty = (1 + penalty) * (weights.confidence * (1 - own.confidence));
    return [{ trace, own, penalty, uncertainty }];
  });
  if (traces.length === 0) return noSignals(signals, ["confidence"]);
  const rms = Math.sqrt(traces.reduce((sum, { uncertainty }) => sum + uncertainty ** 2, 0) / traces.length);
  const value = rounded(withinUnit(1 - rms));
  const shares = traces.map(({ trace, own, penalty, uncertainty }) => ({
    trace,
    weight: uncertainty,
    shown: {
      ...shownRisks(own),
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
      ...perTraceSignals(shares),
      aggregation: { method: "weighted_rms", rms_value: rounded(rms) },
    },
  };
};
