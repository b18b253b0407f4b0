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

/** Name of the rate, where no head of a column says it. */
export const correctedTitle = "pass rate, corrected";

/** Pass rate of a judge without its errors by labels of people, with its interval; or that there is none. Raw rate and reason are in its title. */
export const CorrectedBadge = ({
  corrected,
  isNamed = false,
}: {
  readonly corrected: CorrectedRate | null | undefined;
  readonly isNamed?: boolean;
}) => {
  if (!corrected) return null;
  const { judge_rate: raw, rate, lower, upper, n_labels: labels, label_set_id: set, reason } = corrected;
  const [text, detail] =
    reason === null
      ? [
          `${boundedText({ value: rate, lower, upper })}, ${plural(labels, "label")}`,
          `Pass rate without the judge's errors; the judge's is ${raw?.toFixed(2)}`,
        ]
      : ["not calibrated", reasons[reason]];
  return (
    <a class={`corrected ${reason === null ? "" : "faint"}`} href={hrefTo("label-sets", set)} title={detail}>
      {isNamed && `${correctedTitle}: `}
      {text}
    </a>
  );
};
