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
    if (risks.length === 0) return [];
    const risk = Math.max(...risks);
    const from = risksOf(own).flatMap(([name, each]) => (weights[name] * each === risk ? [name] : []));
    return [{ trace, own, risk, from }];
  });
  if (steps.length === 0) return noSignals(signals, signalNames);
  const worst = steps.toSorted((a, b) => b.risk - a.risk);
  const top = worst.slice(0, Math.max(1, Math.ceil(worst.length * tail)));
  const mean = top.reduce((sum, { risk }) => sum + risk, 0) / top.length;
  const max = worst[0]?.risk ?? 0;
  const coherenceAlone = max > 0 && top.every(({ from }) => from.every((name) => name === "coherence"));
  const raw = (1 - ensemble) * mean + ensemble * max;
  const flagged = steps.filter(({ risk }) => risk > flaggedAbove).map(({ trace }) => trace);
  const shares = steps.map(({ trace, own, risk }) => ({
    trace,
    weight: risk,
    shown: { ...shownRisks(own), step_risk: rounded(risk) },
  }));
  return {
    value: rounded(withinUnit(1 - raw)),
    reason: `${sentence(flagged.length, steps.length)}${coherenceAlone ? " The value rests on coherence alone." : ""}`,
    details: {
      total_traces_in_session: signals.size,
      traces_evaluated: steps.length,
      raw_risk: rounded(raw),
      signal_weights: { ...weights },
      ...perTraceSignals(shares),
      ...(coherenceAlone && { rests_on: ["coherence"] }),
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
