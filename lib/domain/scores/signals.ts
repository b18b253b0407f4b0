/** What a session's metrics rest on: trace metrics, in the order in which they are computed. */
export const signalNames = ["confidence", "coherence", "loop_detection", "tool_correctness"] as const;
export type SignalName = (typeof signalNames)[number];

/** How much each signal's risk counts; 0 or more, finite. */
export type SignalWeights = Readonly<Record<SignalName, number>>;

/** Weights of a run that gives none. */
const defaultWeights: SignalWeights = { confidence: 1, coherence: 1, loop_detection: 1, tool_correctness: 0.8 };

/** The scores in [0, 1] that one trace of a session has; a signal without a usable score is absent. */
export type SessionSignals = Readonly<Partial<Record<SignalName, number>>>;

/** Beyond this a risk cannot count more; the arithmetic stays finite. */
const heaviest = 1_000_000;

/** The default weights, replaced where some are given; a weight above 1,000,000 counts as that. */
export const weightsWith = (given: Readonly<Partial<SignalWeights>> | null): SignalWeights => {
  const weight = (name: SignalName): number => Math.min(given?.[name] ?? defaultWeights[name], heaviest);
  return {
    confidence: weight("confidence"),
    loop_detection: weight("loop_detection"),
    tool_correctness: weight("tool_correctness"),
    coherence: weight("coherence"),
  };
};
