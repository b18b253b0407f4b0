import type { CorrectedRate } from "../../client/interface.ts";
import { plural } from "../format.ts";
import { hrefTo } from "../route.ts";
import { boundedText } from "./interval-bar.tsx";

const reasons = {
  no_labels: "People have labelled no verdicts of this judge",
  labels_not_random: "The labelled traces were not drawn at random",
  not_better_than_chance: "By the labels this judge is no better than chance",
  too_few: "Too few labels, or verdicts that pass or fail",
  several_judges: "Several judges: choose one",
  labels_contradict: "No rate explains the verdicts beside the labels",
} as const;

/** Pass rate of a judge beside an average: raw, and corrected by labels of people with its interval; or why there is none. */
export const CorrectedBadge = ({ corrected }: { readonly corrected: CorrectedRate | null | undefined }) => {
  if (!corrected) return null;
  const { judge_rate: raw, rate, lower, upper, n_labels: labels, reason } = corrected;
  const [title, text] =
    reason === null
      ? [
          "Pass rate of the judge, and without its errors",
          `passes ${raw?.toFixed(2)}, corrected ${boundedText({ value: rate, lower, upper })}, ${plural(labels, "label")}`,
        ]
      : [reasons[reason], "not calibrated"];
  return (
    <a class={`corrected ${reason === null ? "" : "faint"}`} href={hrefTo("label-sets")} title={title}>
      {text}
    </a>
  );
};
