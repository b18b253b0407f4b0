import type { JsonObject } from "../../domain/json.ts";

/** Traces that a score's metadata shows at most: of 16 KB each takes about 180 bytes. */
const mostShown = 60;

/** One trace's share in a session's score. */
export interface TraceShare {
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
