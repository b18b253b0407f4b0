/**
 * Relative error of a sketch. The bounds of its bins grow by a constant factor, so that every value of a bin is
 * within 0.5 % of the bin's own value: the sketch of Masson, Rim and Lee (DDSketch, VLDB 2019). The sum of two
 * sketches equals the sketch of all values.
 */
const accuracy = 0.005;
const growth = (1 + accuracy) / (1 - accuracy);

/** Natural logarithm of the factor by which the bounds of bins grow. */
export const logGrowth = Math.log(growth);

/** Bin of the value 0; whole microseconds from 1 on have bins from 0 on. */
export const zeroBin = -1;

/** Number of values in each bin, by ascending bin. */
export type Sketch = readonly (readonly [bin: number, count: number])[];

const binOf = (value: number): number => (value < 1 ? zeroBin : Math.ceil(Math.log(value) / logGrowth));

const valueOf = (bin: number): number => (bin === zeroBin ? 0 : (2 * growth ** bin) / (growth + 1));

/** Builds a sketch of whole numbers of 0 or more. */
export const sketchOf = (values: Iterable<number>): Sketch => {
  const counts = new Map<number, number>();
  for (const value of values) {
    const bin = binOf(value);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return [...counts].toSorted(([a], [b]) => a - b);
};

/** Merges sketches into the sketch of all their values. */
export const addSketches = (sketches: readonly Sketch[]): Sketch => {
  const counts = new Map<number, number>();
  for (const [bin, count] of sketches.flat()) counts.set(bin, (counts.get(bin) ?? 0) + count);
  return [...counts].toSorted(([a], [b]) => a - b);
};

export const sketchCount = (sketch: Sketch): number => sketch.reduce((sum, [, count]) => sum + count, 0);

/** Returns the value at a rank (0 is the smallest), within 0.5 %. */
export const sketchValue = (sketch: Sketch, rank: number): number => {
  let cumulative = 0;
  for (const [bin, count] of sketch) {
    cumulative += count;
    if (cumulative > rank) return valueOf(bin);
  }
  return valueOf(sketch.at(-1)?.[0] ?? zeroBin);
};
