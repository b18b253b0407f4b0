import { addSketches, sketchCount, sketchOf, sketchValue, type Sketch } from "./latency-sketch.ts";
import { percentile } from "./percentile.ts";

/** Latencies in whole microseconds: all values in ascending order, or a sketch if there are too many. */
export type Latencies =
  | { readonly kind: "values"; readonly values: readonly number[] }
  | { readonly kind: "sketch"; readonly sketch: Sketch };

/** Maximum number of exact latencies of one hour. */
export const maxExactPerHour = 1_000;

/** Maximum number of exact latencies when several hours are combined. */
const maxExactCombined = 100_000;

const sortAscending = (values: readonly number[]): readonly number[] => [...Float64Array.from(values).sort()];

/** Builds the latencies of one hour: exact values up to 1,000, else a sketch. */
export const latenciesOfHour = (values: readonly number[]): Latencies =>
  values.length <= maxExactPerHour
    ? { kind: "values", values: sortAscending(values) }
    : { kind: "sketch", sketch: sketchOf(values) };

export const latencyCount = (latencies: Latencies): number =>
  latencies.kind === "values" ? latencies.values.length : sketchCount(latencies.sketch);

const asSketch = (latencies: Latencies): Sketch =>
  latencies.kind === "values" ? sketchOf(latencies.values) : latencies.sketch;

/** Combines latencies, by default of several hours: exact if all parts are exact and have at most `maxExact` values together. */
export const addLatencies = (parts: readonly Latencies[], maxExact = maxExactCombined): Latencies => {
  const isExact = parts.every(({ kind }) => kind === "values");
  const count = parts.reduce((sum, part) => sum + latencyCount(part), 0);
  if (!isExact || count > maxExact) return { kind: "sketch", sketch: addSketches(parts.map(asSketch)) };
  return {
    kind: "values",
    values: sortAscending(parts.flatMap((part) => (part.kind === "values" ? part.values : []))),
  };
};

/** Computes a continuous percentile in milliseconds; null without latencies. @param fraction 0 to 1. */
export const latencyPercentile = (latencies: Latencies, fraction: number): number | null => {
  const count = latencyCount(latencies);
  if (count === 0) return null;
  const valueAt = (rank: number): number =>
    latencies.kind === "values" ? (latencies.values[rank] ?? 0) : sketchValue(latencies.sketch, rank);
  return percentile(count, valueAt, fraction) / 1000;
};
