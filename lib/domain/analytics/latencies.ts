import { addSketches, sketchCount, sketchOf, sketchValue, type Sketch } from "./latency-sketch.ts";
import { percentile } from "./percentile.ts";

/** Latencies in whole microseconds: every one of them, ascending; or a sketch where they are too many. */
export type Latencies =
  | { readonly kind: "values"; readonly values: readonly number[] }
  | { readonly kind: "sketch"; readonly sketch: Sketch };

/** Latencies of one hour that are kept one by one. */
const mostInHour = 1_000;

/** Latencies of several hours that are put together one by one. */
const mostTogether = 100_000;

const ascending = (values: readonly number[]): readonly number[] => [...Float64Array.from(values).sort()];

/** The latencies of an hour. */
export const latenciesOfHour = (values: readonly number[]): Latencies =>
  values.length <= mostInHour
    ? { kind: "values", values: ascending(values) }
    : { kind: "sketch", sketch: sketchOf(values) };

export const latencyCount = (latencies: Latencies): number =>
  latencies.kind === "values" ? latencies.values.length : sketchCount(latencies.sketch);

const asSketch = (latencies: Latencies): Sketch =>
  latencies.kind === "values" ? sketchOf(latencies.values) : latencies.sketch;

/** The latencies of several hours together: exact where all parts are and there are 100,000 at most. */
export const addLatencies = (parts: readonly Latencies[]): Latencies => {
  const exact = parts.every(({ kind }) => kind === "values");
  const count = parts.reduce((sum, part) => sum + latencyCount(part), 0);
  if (!exact || count > mostTogether) return { kind: "sketch", sketch: addSketches(parts.map(asSketch)) };
  return { kind: "values", values: ascending(parts.flatMap((part) => (part.kind === "values" ? part.values : []))) };
};

/** A continuous percentile in milliseconds; null when there is no latency. */
export const latencyPercentile = (latencies: Latencies, fraction: number): number | null => {
  const count = latencyCount(latencies);
  if (count === 0) return null;
  const valueAt = (rank: number): number =>
    latencies.kind === "values" ? (latencies.values[rank] ?? 0) : sketchValue(latencies.sketch, rank);
  return percentile(count, valueAt, fraction) / 1000;
};
