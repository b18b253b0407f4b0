import type { LabelSet } from "../../client/interface.ts";

type Counts = Pick<LabelSet, "label_count" | "item_count" | "passed_over_count" | "labels_per_item">;

/** Returns how many labels a set takes: none of the traces that are passed over. */
export const labelsWanted = (set: Counts): number =>
  Math.max(set.label_count, (set.item_count - set.passed_over_count) * set.labels_per_item);

/** Number of labels of a set, of those that it takes, as a bar and in words. */
export const SetProgress = (set: Counts) => (
  <span class="labelled">
    <progress value={set.label_count} max={labelsWanted(set)} aria-hidden="true" /> {set.label_count} of{" "}
    {labelsWanted(set)} labels
  </span>
);
