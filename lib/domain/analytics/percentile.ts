/**
 * A continuous percentile: between the two values next to it, in proportion to the distance from them.
 *
 * @param count how many values there are, 1 at least.
 * @param valueAt the value of a rank, 0 for the smallest.
 * @param fraction 0 to 1: 0.5 is the median.
 */
export const percentile = (count: number, valueAt: (rank: number) => number, fraction: number): number => {
  const rank = fraction * (count - 1);
  const below = Math.floor(rank);
  const low = valueAt(below);
  return rank === below ? low : low + (valueAt(below + 1) - low) * (rank - below);
};
