import { mean as meanOf } from "simple-statistics";

/** Value of a trace for one metric, or why it has none. */
export type ItemValue =
  | {
      readonly kind: "value";
      readonly value: number;
      readonly passed: boolean | null;
      /** Id of the judge that gave the score; null for people and programs, absent for what is measured. */
      readonly judge?: string | null;
    }
  /** The metric does not apply to the trace, for its output is empty or another reason: the item is left out. */
  | { readonly kind: "inapplicable"; readonly isEmpty: boolean }
  /** There is no score, or the newest judgement failed. */
  | { readonly kind: "unjudged"; readonly hasFailed: boolean };

/** A trace with its value. */
export interface ItemTrace {
  readonly traceId: string;
  /** Item that the trace ran, null for none; of traces without items what makes them depend on each other. */
  readonly itemId: string | null;
  readonly value: ItemValue;
}

/** Verdicts of judges that pass or fail among the values of traces; repeats of an item depend on each other. */
export const verdictsOfTraces = (traces: readonly ItemTrace[]) =>
  traces.flatMap(({ traceId, itemId, value }) =>
    value.kind === "value" && value.passed !== null && value.judge != null
      ? { judge: value.judge, passed: value.passed, cluster: itemId ?? traceId }
      : [],
  );

/** The values of one item on one side: those of its repeats. */
interface ItemSide {
  readonly traceIds: readonly string[];
  readonly values: readonly number[];
  readonly passes: readonly number[];
  readonly isInapplicable: boolean;
  /** True if the metric does not apply to a trace since its output is empty. */
  readonly isEmpty: boolean;
}

/** An item on both sides. Repeats of it are one item: their mean counts. */
export interface ComparedItem {
  readonly itemId: string;
  readonly baseline: ItemSide;
  readonly candidate: ItemSide;
  /** True for an item of the baseline that the dataset had no longer when the candidate began. */
  readonly isRetired: boolean;
}

const sideOf = (traces: readonly ItemTrace[]): ItemSide => {
  const scored = traces.flatMap(({ value }) => (value.kind === "value" ? [value] : []));
  return {
    traceIds: traces.map(({ traceId }) => traceId),
    values: scored.map(({ value }) => value),
    passes: scored.flatMap(({ passed }) => (passed === null ? [] : [Number(passed)])),
    isInapplicable:
      scored.length === 0 && traces.length > 0 && traces.every(({ value }) => value.kind === "inapplicable"),
    isEmpty: traces.some(({ value }) => value.kind === "inapplicable" && value.isEmpty),
  };
};

/**
 * Brings the traces of two experiments together by their items.
 *
 * @param expected items of the dataset, of which an experiment may lack some.
 */
export const comparedItems = (
  baseline: readonly ItemTrace[],
  candidate: readonly ItemTrace[],
  expected: readonly string[] = [],
): readonly ComparedItem[] => {
  const ofItem = (traces: readonly ItemTrace[]) =>
    Map.groupBy(
      traces.filter(({ itemId }) => itemId !== null),
      ({ itemId }) => itemId ?? "",
    );
  const [before, after] = [ofItem(baseline), ofItem(candidate)];
  const needed = new Set([...(expected.length === 0 ? before.keys() : expected), ...after.keys()]);
  return Array.from(new Set([...needed, ...before.keys()]), (itemId) => ({
    itemId,
    isRetired: !needed.has(itemId),
    baseline: sideOf(before.get(itemId) ?? []),
    candidate: sideOf(after.get(itemId) ?? []),
  }));
};

/** Numbers of the items that are compared, and of those that are not. */
export interface ItemCounts {
  readonly compared: number;
  /** Items without a trace on a side. */
  readonly missing: number;
  /** Items with traces, but without a score on a side. */
  readonly unjudged: number;
  readonly inapplicable: number;
  /**
   * Those of the inapplicable items to which the metric applied on the baseline and does not on the candidate, or of which, where there is
   * no baseline to compare with, the output is empty: who answers nothing must not pass by the rest.
   */
  readonly lapsed: number;
  /** Items with several traces on a side; they count once. */
  readonly repeated: number;
  /** Items with more traces than most others of a side. */
  readonly duplicated: number;
  readonly retired: number;
}

type Sides = readonly ("baseline" | "candidate")[];

const sidesOf = ({ baseline, candidate }: ComparedItem, sides: Sides): readonly ItemSide[] =>
  sides.map((side) => (side === "baseline" ? baseline : candidate));

/** True if an item has values on all of some sides. */
export const isComparable = (item: ComparedItem, sides: Sides): boolean =>
  !item.isRetired && sidesOf(item, sides).every(({ values }) => values.length > 0);

/** Returns the commonest number of traces that items have on a side, the largest of several: so often a program ran each of them. */
const repeatsOf = (items: readonly ComparedItem[], side: Sides[number]): number => {
  const sizes = Map.groupBy(items, (item) => item[side].traceIds.length);
  sizes.delete(0);
  const [commonest = [1]] = [...sizes].toSorted(([a, { length }], [b, { length: other }]) => other - length || b - a);
  return commonest[0];
};

/** Counts items by what they have on some sides. */
export const countItems = (items: readonly ComparedItem[], sides: Sides): ItemCounts => {
  const counts = {
    compared: 0,
    missing: 0,
    unjudged: 0,
    inapplicable: 0,
    lapsed: 0,
    repeated: 0,
    duplicated: 0,
    retired: 0,
  };
  const repeats = sides.map((side) => repeatsOf(items, side));
  for (const item of items) {
    if (item.isRetired) {
      counts.retired += 1;
      continue;
    }
    const those = sidesOf(item, sides);
    if (those.some(({ traceIds }) => traceIds.length > 1)) counts.repeated += 1;
    if (those.some(({ traceIds }, at) => traceIds.length > (repeats[at] ?? 1))) counts.duplicated += 1;
    if (those.some(({ traceIds }) => traceIds.length === 0)) counts.missing += 1;
    else if (those.some(({ isInapplicable }) => isInapplicable)) {
      counts.inapplicable += 1;
      const { baseline, candidate } = item;
      const isExpected = baseline.values.length > 0 || (sides.length === 1 && candidate.isEmpty);
      if (candidate.isInapplicable && isExpected) counts.lapsed += 1;
    } else if (isComparable(item, sides)) counts.compared += 1;
    else counts.unjudged += 1;
  }
  return counts;
};

/** Largest share of items without a trace or a score, with a lapsed metric, or with too many traces, with which a verdict is given. */
const maxMissingShare = 0.1;

/** True if so many items have no trace, no score, a lapsed metric or too many traces that nobody can tell. */
export const hasTooManyMissing = ({ compared, missing, unjudged, lapsed, duplicated }: ItemCounts): boolean =>
  missing + unjudged + lapsed + duplicated > maxMissingShare * (compared + missing + unjudged + lapsed);

/** Returns whether an item passed on a side, in most of its repeats; null without a threshold, and if as many failed. */
export const passOf = ({ passes }: Pick<ItemSide, "passes">): boolean | null => {
  const rate = passes.length === 0 ? 0.5 : meanOf(passes);
  return rate === 0.5 ? null : rate > 0.5;
};
