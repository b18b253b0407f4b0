interface Within {
  readonly min: number | null;
  readonly max: number | null;
}

export const isWithin = ({ min, max }: Within, value: number): boolean =>
  (min === null || value >= min) && (max === null || value <= max);

/** "at least 2 calls", "from 1 to 3 calls", "at most 0.5". @param one the unit of 1, @param many that of others. */
export const boundsSaid = ({ min, max }: Within, one = "", many = one): string => {
  const counted = (bound: number | null): string => `${bound} ${bound === 1 ? one : many}`.trim();
  if (min === null) return `at most ${counted(max)}`;
  if (max === null) return `at least ${counted(min)}`;
  return min === max ? `exactly ${counted(min)}` : `from ${min} to ${counted(max)}`;
};
