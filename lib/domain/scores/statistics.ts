import type { ScoreStatus } from "./score.ts";

/** What statistics take from one score; `value` is null where there is none or it is not a number. */
export interface ScoreFact {
  readonly status: ScoreStatus;
  readonly value: number | null;
  /** True: its metric does not apply; it is counted as such, and neither its status nor its value is. */
  readonly inapplicable?: boolean | undefined;
  /** Its creation and id, see `scoreOrder`. */
  readonly order: string;
}

/**
 * Scores of one name, summed up. Sums of sums are exact, and so is taking a score away, apart from `latest`, which is
 * the newest score that ever came: who tells it looks whether it is still there.
 */
export interface ScoreStatistics {
  readonly success: number;
  readonly failed: number;
  /** Scores whose metric does not apply. */
  readonly inapplicable: number;
  readonly latest: string;
  /** How often each value of a successful numeric score occurs; a count may be below 0 in a part of a sum. */
  readonly values: ReadonlyMap<number, number>;
}

export const noStatistics: ScoreStatistics = {
  success: 0,
  failed: 0,
  inapplicable: 0,
  latest: "",
  values: new Map(),
};

/** What one score adds, or with a sign of -1 takes away. */
export const statisticsOf = (
  { status, value, inapplicable = false, order }: ScoreFact,
  sign: 1 | -1,
): ScoreStatistics => ({
  success: !inapplicable && status === "SUCCESS" ? sign : 0,
  failed: !inapplicable && status === "FAILED" ? sign : 0,
  inapplicable: inapplicable ? sign : 0,
  latest: sign === 1 ? order : "",
  values: new Map(!inapplicable && status === "SUCCESS" && value !== null ? [[value, sign]] : []),
});

/** The sum of some statistics. */
export const addStatistics = (parts: Iterable<ScoreStatistics>): ScoreStatistics => {
  let [success, failed, inapplicable, latest] = [0, 0, 0, ""];
  const values = new Map<number, number>();
  for (const part of parts) {
    success += part.success;
    failed += part.failed;
    inapplicable += part.inapplicable;
    if (part.latest > latest) latest = part.latest;
    for (const [value, count] of part.values) {
      const sum = (values.get(value) ?? 0) + count;
      if (sum === 0) values.delete(value);
      else values.set(value, sum);
    }
  }
  return { success, failed, inapplicable, latest, values };
};

/** What some statistics have more than others, less where it is below 0; the newest score is theirs. */
export const withoutStatistics = (all: ScoreStatistics, some: ScoreStatistics): ScoreStatistics => ({
  ...addStatistics([
    all,
    {
      success: -some.success,
      failed: -some.failed,
      inapplicable: -some.inapplicable,
      latest: "",
      values: new Map([...some.values].map(([value, count]) => [value, -count])),
    },
  ]),
  latest: all.latest,
});

/** Values in ascending order with their counts. */
type Counted = readonly (readonly [value: number, count: number])[];

/** The values of statistics in ascending order. */
export const sortedValues = ({ values }: ScoreStatistics): Counted =>
  [...values].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);

/** How many values there are. */
export const valueCount = (values: Counted): number => values.reduce((sum, [, count]) => sum + count, 0);

/** Drops the digits that a double does not hold for certain: the mean of 0.1 and 0.2 is 0.15. */
const certain = (value: number): number => {
  const rounded = Number(value.toPrecision(15));
  return Number.isFinite(rounded) ? rounded : value;
};

/** The arithmetic mean; null of nothing. Weighted before it is summed, so that no sum exceeds what a double holds. */
export const meanOf = (values: Counted): number | null => {
  const total = valueCount(values);
  return total === 0 ? null : certain(values.reduce((mean, [value, count]) => mean + value * (count / total), 0));
};

const valueAt = (values: Counted, rank: number): number => {
  let seen = 0;
  for (const [value, count] of values) {
    seen += count;
    if (rank < seen) return value;
  }
  throw new RangeError("There are fewer values than that.");
};

/** The value that a share of all lie below, from 0 to 1: between its two neighbours in proportion; null of nothing. */
export const quantileOf = (values: Counted, share: number): number | null => {
  const total = valueCount(values);
  if (total === 0) return null;
  const rank = (total - 1) * share;
  const [low, high] = [valueAt(values, Math.floor(rank)), valueAt(values, Math.ceil(rank))];
  const part = rank - Math.floor(rank);
  return low === high ? low : certain(low * (1 - part) + high * part);
};

/** The continuous median: between the two values in the middle of an even number; null of nothing. */
export const medianOf = (values: Counted): number | null => quantileOf(values, 0.5);
