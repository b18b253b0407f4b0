import { byCodePoint } from "../text.ts";
import type { Dimension, GroupValue } from "./dimensions.ts";
import type { ScoreUnit } from "./unit.ts";

/** Scores of one group, or of all groups but the largest. */
export interface ScoreGroup {
  /** Value of each dimension by its name; `other` for all groups but the largest. */
  readonly group: Readonly<Record<string, GroupValue>>;
  readonly is_other: boolean;
  readonly units: readonly ScoreUnit[];
}

/** Maximum number of groups; the scores of all others are one group. */
const maxGroups = 50;

const otherValue = "other";

/** Groups scores, the largest group first and the scores of all but the 50 largest last. */
export const groupsOf = (units: readonly ScoreUnit[], dimensions: readonly Dimension[]): readonly ScoreGroup[] => {
  const groups = new Map<string, { readonly values: readonly GroupValue[]; readonly units: ScoreUnit[] }>();
  for (const unit of units) {
    for (const values of unit.groups) {
      const key = JSON.stringify(values);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { values, units: [unit] });
      else group.units.push(unit);
    }
  }
  const sorted = [...groups].toSorted(([a, one], [b, two]) => two.units.length - one.units.length || byCodePoint(a, b));
  const named = (values: readonly GroupValue[]) =>
    Object.fromEntries(dimensions.map(({ name }, index) => [name, values[index] ?? null]));
  const largest = sorted
    .slice(0, maxGroups)
    .map(([, group]) => ({ group: named(group.values), is_other: false, units: group.units }));
  // A score may be in several of the other groups.
  const others = new Set(sorted.slice(maxGroups).flatMap(([, group]) => group.units));
  if (others.size === 0) return largest;
  return [...largest, { group: named(dimensions.map(() => otherValue)), is_other: true, units: [...others] }];
};
