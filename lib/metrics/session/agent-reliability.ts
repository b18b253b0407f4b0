import { signalNames } from "../../domain/scores/signals.ts";
import { rounded } from "../../domain/scores/score.ts";
import { noSignals, perTraceSignals, risksOf, shownRisks, withinUnit, type ScoreSession } from "./signal-risks.ts";

/** The riskiest share of the traces that decides. */
const tail = 0.15;
/** What the single riskiest trace counts beside the tail's mean. */
const ensemble = 0.1;
/** A trace of more risk than this is flagged. */
const flaggedAbove = 0.5;
/** Ids of flagged traces that the metadata names at most. */
const mostFlagged = 100;

const sentence = (flagged: number, evaluated: number): string => {
  if (flagged === 0) return `None of the ${evaluated} evaluated traces is a high risk.`;
  return `${flagged} of the ${evaluated} evaluated traces ${flagged === 1 ? "is" : "are"} a high risk: the session is as reliable as its worst part.`;
};

/** How bad the worst of a session is: the largest weighted risk of each trace, then the mean of the riskiest traces. */
export const agentReliability: ScoreSession = (signals, weights) => {
  const steps = [...signals].flatMap(([trace, own]) => {
    const risks = risksOf(own).map(([name, risk]) => weights[name] * risk);
    return risks.length === 0 ? [] : [{ trace, own, risk: Math.max(...risks) }];
  });
  if (steps.length === 0) return noSignals(signals, signalNames);
  const worst = steps.map(({ risk }) => risk).toSorted((a, b) => b - a);
  const top = worst.slice(0, Math.max(1, Math.ceil(worst.length * tail)));
  const mean = top.reduce((sum, risk) => sum + risk, 0) / top.length;
  const max = worst[0] ?? 0;
  const raw = (1 - ensemble) * mean + ensemble * max;
  const flagged = steps.filter(({ risk }) => risk > flaggedAbove).map(({ trace }) => trace);
  const shares = steps.map(({ trace, own, risk }) => ({
    trace,
    weight: risk,
    shown: { ...shownRisks(own), step_risk: rounded(risk) },
  }));
  return {
    value: rounded(withinUnit(1 - raw)),
    reason: sentence(flagged.length, steps.length),
    details: {
      total_traces_in_session: signals.size,
      traces_evaluated: steps.length,
      raw_risk: rounded(raw),
      signal_weights: { ...weights },
      ...perTraceSignals(shares),
      flagged_traces: flagged.slice(0, mostFlagged),
      ...(flagged.length > mostFlagged ? { flagged_left_out: flagged.length - mostFlagged } : {}),
      aggregation: {
        method: "max_compose_top_k",
        top_k_percentile: tail,
        ensemble_weight: ensemble,
        mean_top_k_risk: rounded(mean),
        max_risk: rounded(max),
      },
    },
  };
};
