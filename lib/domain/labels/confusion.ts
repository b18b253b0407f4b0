/** Cells of a confusion table: true and false positives, false and true negatives. Positive is passing. */
export const cells = ["tp", "fp", "fn", "tn"] as const;
export type Cell = (typeof cells)[number];

/** Verdicts of a judge beside labels of people, counted by cell. */
export type Confusion = Readonly<Record<Cell, number>>;

/** Returns the cell of a verdict beside the label of the same item. */
export const cellOfVerdict = (label: boolean, verdict: boolean): Cell => {
  if (verdict) return label ? "tp" : "fp";
  return label ? "fn" : "tn";
};

/** Counts cells. */
export const confusionOf = (all: readonly Cell[]): Confusion => {
  const count = (cell: Cell): number => all.filter((each) => each === cell).length;
  return { tp: count("tp"), fp: count("fp"), fn: count("fn"), tn: count("tn") };
};

/** Numbers of all labels, of the passing and of the failing ones. */
export const labelCounts = ({ tp, fp, fn, tn }: Confusion) => ({
  all: tp + fp + fn + tn,
  passing: tp + fn,
  failing: fp + tn,
});
