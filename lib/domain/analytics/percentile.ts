/**
 * Computes a continuous percentile: linear interpolation between the two nearest values.
 *
 * @param count number of values, at least 1.
 * @param valueAt returns the value of a rank, 0 for the smallest.
 * @param fraction 0 to 1: 0.5 is the median.
 */
export const percentile = (count: number, valueAt: (rank: number) => number, fraction: number): number => {
  const rank = fraction * (count - 1);
  const below = Math.floor(rank);
  const low = valueAt(below);
  return rank === below ? low : low + (valueAt(below + 1) - low) * (rank - below);
};
