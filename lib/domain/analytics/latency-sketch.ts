/**
 * Bins whose bounds grow by the same factor, so that every value of a bin is within 0.5 % of the bin's own value: the
 * sketch of Masson, Rim and Lee (DDSketch, VLDB 2019). Adding two sketches up is as good as one made of all values.
 */
const accuracy = 0.005;
const growth = (1 + accuracy) / (1 - accuracy);
const logGrowth = Math.log(growth);

/** The bin of 0; whole microseconds of 1 and more have bins from 0 on. */
const zeroBin = -1;

/** How many values lie in each bin, by rising bin. */
export type Sketch = readonly (readonly [bin: number, count: number])[];

const binOf = (value: number): number => (value < 1 ? zeroBin : Math.ceil(Math.log(value) / logGrowth));

const valueOf = (bin: number): number => (bin === zeroBin ? 0 : (2 * growth ** bin) / (growth + 1));

/** A sketch of values of 0 or more, whole numbers. */
export const sketchOf = (values: Iterable<number>): Sketch => {
  const counts = new Map<number, number>();
  for (const value of values) {
    const bin = binOf(value);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return [...counts].toSorted(([a], [b]) => a - b);
};

/** The sketch of the values of all of them. */
export const addSketches = (sketches: readonly Sketch[]): Sketch => {
  const counts = new Map<number, number>();
  for (const [bin, count] of sketches.flat()) counts.set(bin, (counts.get(bin) ?? 0) + count);
  return [...counts].toSorted(([a], [b]) => a - b);
};

export const sketchCount = (sketch: Sketch): number => sketch.reduce((sum, [, count]) => sum + count, 0);

/** The value of a rank, 0 for the smallest, within 0.5 %. */
export const sketchValue = (sketch: Sketch, rank: number): number => {
  let passed = 0;
  for (const [bin, count] of sketch) {
    passed += count;
    if (passed > rank) return valueOf(bin);
  }
  return valueOf(sketch.at(-1)?.[0] ?? zeroBin);
};
