/** Labels of one item by different people, each true if the item passes. */
export type Votes = readonly boolean[];

/** Agreement of people among themselves, over all pairs of labels of the same item. */
export interface PeopleAgreement {
  readonly pairs: number;
  /** Share of the pairs whose labels are equal; null without pairs. */
  readonly agreement: number | null;
  /** Fleiss' kappa; null without pairs, and if all labels are alike. */
  readonly kappa: number | null;
}

/** Returns the label of most people; `tie` if as many say the opposite, null without labels. */
export const majorityOf = (votes: Votes): boolean | "tie" | null => {
  if (votes.length === 0) return null;
  const lead = 2 * votes.filter(Boolean).length - votes.length;
  return lead === 0 ? "tie" : lead > 0;
};

/**
 * Computes how far people agree: the ceiling for a judge. Each pair counts once, and chance is taken from the labels in pairs; if all items
 * have equally many labels, kappa is that of Fleiss (Psychological Bulletin 76, 1971, 378-382).
 */
export const peopleAgreement = (items: readonly Votes[]): PeopleAgreement => {
  let [pairs, equal, passing] = [0, 0, 0];
  for (const votes of items) {
    const [count, passes] = [votes.length, votes.filter(Boolean).length];
    pairs += (count * (count - 1)) / 2;
    equal += (passes * (passes - 1) + (count - passes) * (count - passes - 1)) / 2;
    passing += (passes * (count - 1)) / 2;
  }
  if (pairs === 0) return { pairs, agreement: null, kappa: null };
  const [agreement, rate] = [equal / pairs, passing / pairs];
  const chance = rate ** 2 + (1 - rate) ** 2;
  return { pairs, agreement, kappa: chance === 1 ? null : (agreement - chance) / (1 - chance) };
};
