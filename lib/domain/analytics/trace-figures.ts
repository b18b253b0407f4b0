import { addLatencies, latenciesOfHour, maxExactPerHour, type Latencies } from "./latencies.ts";
import type { ListedTrace } from "../traces/row.ts";

/** Figures of the traces that started in one hour, or in a part of it. */
export interface TraceFigures {
  readonly traces: number;
  readonly errors: number;
  /** Sum over all finished traces, in whole microseconds. */
  readonly latencySum: number;
  readonly latencies: Latencies;
}

/** The fields of a trace that figures need. */
export type TimedTrace = Pick<ListedTrace, "status" | "latency">;

/** Creates an accumulator of trace figures. */
export const figureTally = () => {
  let [traces, errors, latencySum] = [0, 0, 0];
  const values: number[] = [];
  const parts: Latencies[] = [];
  return {
    add: ({ status, latency }: TimedTrace): void => {
      traces += 1;
      if (status === "ERROR") errors += 1;
      if (latency === null) return;
      const micros = Math.round(latency * 1000);
      latencySum += micros;
      values.push(micros);
    },
    /** Adds figures of other traces of the hour: as adding these traces. */
    addFigures: (figures: TraceFigures): void => {
      traces += figures.traces;
      errors += figures.errors;
      latencySum += figures.latencySum;
      parts.push(figures.latencies);
    },
    figures: (): TraceFigures => {
      const latencies = addLatencies([latenciesOfHour(values), ...parts], maxExactPerHour);
      return { traces, errors, latencySum, latencies };
    },
  };
};
