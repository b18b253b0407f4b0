import type { SessionSignal, TraceScore } from "./score.ts";

/** What a session's metrics rest on: trace metrics, in the order in which they are computed. */
export const signalNames = ["confidence", "coherence", "loop_detection", "tool_correctness"] as const;
export type SignalName = (typeof signalNames)[number];

/** How much each signal's risk counts; 0 or more, finite. */
export type SignalWeights = Readonly<Record<SignalName, number>>;

/** Weights of a run that gives none. */
const defaultWeights: SignalWeights = { confidence: 1, coherence: 1, loop_detection: 1, tool_correctness: 0.8 };

/** The scores in [0, 1] that one trace of a session has; a signal without a usable score is absent. */
export type SessionSignals = Readonly<Partial<Record<SignalName, number>>>;

/** The model that an id of a judge names. */
export const modelOfJudge = (judge: string): string => judge.slice(0, judge.lastIndexOf("#"));

/** A trace's score as a signal of its session; null where it says nothing usable: it does not apply, or is no number in [0, 1]. */
export const signalOf = (score: TraceScore): SessionSignal | null => {
  const { data_type, status, value, applicable, judge, metadata } = score;
  const number = Number(value ?? Number.NaN);
  if (status !== "SUCCESS" || data_type !== "NUMERIC" || applicable === false || !(number >= 0 && number <= 1)) {
    return null;
  }
  const { prompt_version: prompt } = metadata;
  return {
    trace_id: score.trace_id,
    trace_version: score.trace_version,
    name: score.name,
    value: number,
    score_id: score.id,
    source: score.source,
    judge: judge?.id ?? null,
    model: judge === null ? null : modelOfJudge(judge.id),
    prompt_version: judge !== null && typeof prompt === "string" ? prompt : null,
  };
};

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
