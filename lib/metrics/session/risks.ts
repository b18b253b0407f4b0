import type { JsonObject } from "../../domain/json.ts";
import type { SessionSignals, SignalName } from "../../domain/scores/signals.ts";
import { rounded } from "../rounded.ts";

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
