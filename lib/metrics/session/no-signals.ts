import type { SignalName } from "../../domain/scores/signals.ts";
import type { NoScore } from "../../judge/metric.ts";
import type { SignalsByTrace } from "./session-metric.ts";

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
