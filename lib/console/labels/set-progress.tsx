import type { LabelSet } from "../../client/interface.ts";

/** Number of labelled items of a set, as a bar and in words. */
export const SetProgress = ({
  labelled_count: done,
  item_count: all,
}: Pick<LabelSet, "labelled_count" | "item_count">) => (
  <span class="labelled">
    <progress value={done} max={all} aria-hidden="true" /> {done} of {all} labelled
  </span>
);
