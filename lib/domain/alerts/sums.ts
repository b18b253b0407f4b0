import { addSketches, sketchOf, type Sketch } from "../analytics/latency-sketch.ts";
import type { ClusterSum } from "../statistics/observation.ts";
import type { AlertSettings } from "./fields.ts";
import { figures } from "./rule.ts";

/**
 * Number of groups of sessions of which a window keeps sums. All traces of a session are in one group, so that groups are
 * clusters, and the sums of two windows can be added.
 */
export const groupCount = 64;

/** Sums of a window, which can be added: number and sum of the values by group, and the latencies in microseconds. */
export interface WindowSums {
  readonly groups: ReadonlyMap<number, ClusterSum>;
  /** Empty for a signal other than latency. */
  readonly latencies: Sketch;
}

export const noSums: WindowSums = { groups: new Map(), latencies: [] };

/** Returns the group of a session, or of a trace without one, by the FNV-1a hash of its id. */
const groupOf = (id: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  // Low bits of the hash alone depend on low bits of the text alone.
  return ((hash >>> 0) ^ (hash >>> 15)) % groupCount;
};

/** What a rule counts of one trace or score. */
export interface AlertObservation {
  /** Session of the trace, or the trace's id. */
  readonly cluster: string;
  readonly value: number;
}

/** Returns the sums of one observation; with the sign -1 those that remove it. */
export const sumsOf = (
  { signal, compare_with: baseline, threshold }: Pick<AlertSettings, "signal" | "compare_with" | "threshold">,
  { cluster, value }: AlertObservation,
  sign: 1 | -1 = 1,
): WindowSums => {
  const isLatency = figures[signal].kind === "percentile";
  const counted = isLatency ? Number(baseline === "threshold" && value > threshold) : value;
  const latencies = isLatency ? sketchOf([Math.round(value * 1000)]) : [];
  return {
    groups: new Map([[groupOf(cluster), { count: sign, sum: sign * counted }]]),
    latencies: sign === 1 ? latencies : latencies.map(([bin, count]) => [bin, -count] as const),
  };
};

/** Adds the sums of parts of a window. */
export const addSums = (parts: readonly WindowSums[]): WindowSums => {
  const groups = new Map<number, ClusterSum>();
  for (const [group, { count, sum }] of parts.flatMap((part) => [...part.groups])) {
    const before = groups.get(group);
    groups.set(group, { count: (before?.count ?? 0) + count, sum: (before?.sum ?? 0) + sum });
  }
  return {
    groups,
    latencies: addSketches(parts.map(({ latencies }) => latencies)).filter(([, count]) => count !== 0),
  };
};

/** True if sums add nothing to others. */
export const isNothing = ({ groups, latencies }: WindowSums): boolean =>
  latencies.length === 0 && [...groups.values()].every(({ count, sum }) => count === 0 && sum === 0);

/** Number of observations in a window. */
export const observationCount = ({ groups }: WindowSums): number =>
  [...groups.values()].reduce((total, { count }) => total + count, 0);

/** Sum of the values in a window. */
export const totalOf = ({ groups }: WindowSums): number =>
  [...groups.values()].reduce((total, { sum }) => total + sum, 0);
