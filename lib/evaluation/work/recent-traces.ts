import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";

/** Documents kept: a trace's neighbours in its session are looked at together. */
const kept = 48;

/** Reads traces of one project, the ones read last but once. */
export type RecentTraces = (trace: string) => Promise<StoredTrace | null>;

export const recentTraces = (traces: Pick<TraceReader, "get">, project: string): RecentTraces => {
  const read = new Map<string, Promise<StoredTrace | null>>();
  return (trace) => {
    const known = read.get(trace);
    if (known !== undefined) return known;
    const reading = traces.get(project, trace);
    read.set(trace, reading);
    const [oldest] = read.keys();
    if (read.size > kept && oldest !== undefined) read.delete(oldest);
    return reading;
  };
};
