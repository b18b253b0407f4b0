import { kappaOf, sensitivityOf, specificityOf } from "./agreement.ts";
import { cellOfVerdict, cells, confusionOf, labelCounts, type Cell } from "./confusion.ts";
import { fitnessOf } from "./fitness.ts";
import { majorityOf, peopleAgreement, type Votes } from "./people.ts";

/** An item of a label set. */
export interface LabelledItem {
  /** People's labels; those that could not tell have none. */
  readonly votes: Votes;
  /** The judge's verdict about the same content; null without a sound one. */
  readonly verdict: boolean | null;
}

/** Returns the cell of an item, or why it has none: no label, as many for as against, or no verdict. */
export const placeOfItem = ({ votes, verdict }: LabelledItem): Cell | "unlabelled" | "tie" | "missing" => {
  const label = majorityOf(votes);
  if (label === null) return "unlabelled";
  if (label === "tie") return "tie";
  return verdict === null ? "missing" : cellOfVerdict(label, verdict);
};

const isCell = (place: string): place is Cell => cells.some((cell) => cell === place);

/** Computes what labels say of a judge, and of the people who gave them. */
export const judgeWorth = (items: readonly LabelledItem[]) => {
  const places = items.map(placeOfItem);
  const confusion = confusionOf(places.filter(isCell));
  const { all, passing, failing } = labelCounts(confusion);
  const missing = places.filter((place) => place === "missing").length;
  const fitness =
    all === 0 && missing > 0
      ? {
          fit_for: "unknown" as const,
          reason: `Of ${missing} labelled items none has a verdict of the judge on the same content.`,
        }
      : fitnessOf(confusion);
  const shareOf = (count: number): number | null => (all === 0 ? null : count / all);
  return {
    n: all,
    base_rate: shareOf(passing),
    confusion,
    agreement: shareOf(confusion.tp + confusion.tn),
    kappa: kappaOf(confusion),
    sensitivity: sensitivityOf(confusion),
    specificity: specificityOf(confusion),
    /** Agreement of a judge that always says what most labels are. */
    majority_baseline: shareOf(Math.max(passing, failing)),
    people: peopleAgreement(items.map(({ votes }) => votes)),
    missing,
    ties: places.filter((place) => place === "tie").length,
    ...fitness,
  };
};
