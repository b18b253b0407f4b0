/** Value of a trace for one metric, or why it has none. */
export type ItemValue =
  | { readonly kind: "value"; readonly value: number; readonly passed: boolean | null }
  /** The metric does not apply to the trace: the item is left out, and is not missing. */
  | { readonly kind: "inapplicable" }
  | { readonly kind: "unjudged" };

/** Traces of an item on one side, with their values. */
export interface ItemTrace {
  readonly traceId: string;
  readonly itemId: string | null;
  readonly value: ItemValue;
}

/** The values of one item on one side: those of its repeats. */
interface ItemSide {
  readonly traceIds: readonly string[];
  readonly values: readonly number[];
  readonly passes: readonly number[];
  readonly isInapplicable: boolean;
}

/** An item on both sides. Repeats of it are one item: their mean counts. */
export interface ComparedItem {
  readonly itemId: string;
  readonly baseline: ItemSide;
  readonly candidate: ItemSide;
}

const sideOf = (traces: readonly ItemTrace[]): ItemSide => {
  const found = traces.flatMap(({ value }) => (value.kind === "value" ? [value] : []));
  return {
    traceIds: traces.map(({ traceId }) => traceId),
    values: found.map(({ value }) => value),
    passes: found.flatMap(({ passed }) => (passed === null ? [] : [Number(passed)])),
    isInapplicable:
      found.length === 0 && traces.length > 0 && traces.every(({ value }) => value.kind === "inapplicable"),
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
  const ids = new Set([...expected, ...before.keys(), ...after.keys()]);
  return Array.from(ids, (itemId) => ({
    itemId,
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
  /** Items with several traces on a side; they count once. */
  readonly repeated: number;
}

const sidesOf = ({ baseline, candidate }: ComparedItem, sides: readonly ("baseline" | "candidate")[]) =>
  sides.map((side) => (side === "baseline" ? baseline : candidate));

type Sides = readonly ("baseline" | "candidate")[];

/** True if an item has values on all of some sides. */
export const isComparable = (item: ComparedItem, sides: Sides): boolean =>
  sidesOf(item, sides).every(({ values }) => values.length > 0);

/** Counts items by what they have on some sides. */
export const countItems = (items: readonly ComparedItem[], sides: Sides): ItemCounts => {
  const counts = { compared: 0, missing: 0, unjudged: 0, inapplicable: 0, repeated: 0 };
  for (const item of items) {
    const those = sidesOf(item, sides);
    if (those.some(({ traceIds }) => traceIds.length > 1)) counts.repeated += 1;
    if (those.some(({ traceIds }) => traceIds.length === 0)) counts.missing += 1;
    else if (those.some(({ isInapplicable }) => isInapplicable)) counts.inapplicable += 1;
    else if (isComparable(item, sides)) counts.compared += 1;
    else counts.unjudged += 1;
  }
  return counts;
};

/** Largest share of items without a trace or a score with which a verdict is given. */
const maxMissingShare = 0.1;

/** True if so many items have no trace or no score that nobody can tell. */
export const hasTooManyMissing = ({ compared, missing, unjudged }: ItemCounts): boolean =>
  missing + unjudged > maxMissingShare * (compared + missing + unjudged);

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
