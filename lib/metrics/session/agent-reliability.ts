import { signalNames } from "../../domain/scores/signals.ts";
import { rounded } from "../../domain/scores/score.ts";
import { noSignals, contributionFields, risksOf, riskFields, withinUnit, type SessionScorer } from "./signal-risks.ts";

/** Share of a session's traces, the riskiest ones, that determines the reliability score. */
const tailShare = 0.15;
/** Weight of the single riskiest trace; the mean risk of the riskiest 15 % of the traces has the remaining weight. */
const maxRiskWeight = 0.1;
/** Risk above which the metadata of a session score lists a trace as flagged. */
const flaggedAbove = 0.5;
/** Maximum ids of flagged traces in the metadata of a session score. */
const maxFlagged = 100;

const sentence = (flagged: number, evaluated: number): string => {
  if (flagged === 0) return `None of the ${evaluated} evaluated traces is a high risk.`;
  return `${flagged} of the ${evaluated} evaluated traces ${flagged === 1 ? "is" : "are"} a high risk: the session is as reliable as its worst part.`;
};

/** Scores the reliability of a session from its riskiest traces; a trace's risk is the largest of its weighted risks. */
export const agentReliability: SessionScorer = (signals, weights) => {
  const steps = [...signals].flatMap(([trace, traceSignals]) => {
    const risks = risksOf(traceSignals).map(([name, risk]) => weights[name] * risk);
    if (risks.length === 0) return [];
    const risk = Math.max(...risks);
    const from = risksOf(traceSignals).flatMap(([name, each]) => (weights[name] * each === risk ? [name] : []));
    return [{ trace, traceSignals, risk, from }];
  });
  if (steps.length === 0) return noSignals(signals, signalNames);
  const riskiest = steps.toSorted((a, b) => b.risk - a.risk);
  const tail = riskiest.slice(0, Math.max(1, Math.ceil(riskiest.length * tailShare)));
  const mean = tail.reduce((sum, { risk }) => sum + risk, 0) / tail.length;
  const max = riskiest[0]?.risk ?? 0;
  const isCoherenceOnly = max > 0 && tail.every(({ from }) => from.every((name) => name === "coherence"));
  const rawRisk = (1 - maxRiskWeight) * mean + maxRiskWeight * max;
  const flaggedTraces = steps.filter(({ risk }) => risk > flaggedAbove).map(({ trace }) => trace);
  const shares = steps.map(({ trace, traceSignals, risk }) => ({
    trace,
    weight: risk,
    fields: { ...riskFields(traceSignals), step_risk: rounded(risk) },
  }));
  return {
    value: rounded(withinUnit(1 - rawRisk)),
    reason: `${sentence(flaggedTraces.length, steps.length)}${isCoherenceOnly ? " The value rests on coherence alone." : ""}`,
    details: {
      total_traces_in_session: signals.size,
      traces_evaluated: steps.length,
      raw_risk: rounded(rawRisk),
      signal_weights: { ...weights },
      ...contributionFields(shares),
      ...(isCoherenceOnly && { rests_on: ["coherence"] }),
      flagged_traces: flaggedTraces.slice(0, maxFlagged),
      ...(flaggedTraces.length > maxFlagged ? { flagged_left_out: flaggedTraces.length - maxFlagged } : {}),
      aggregation: {
        method: "max_compose_top_k",
        top_k_percentile: tailShare,
        ensemble_weight: maxRiskWeight,
        mean_top_k_risk: rounded(mean),
        max_risk: rounded(max),
      },
    },
  };
};
