import { figures, isCategorySignal, isScoreSignal } from "../../domain/alerts/rule.ts";
import type { AlertForm } from "./form.ts";
import {
  baselineTitles,
  noDataTitles,
  signalTitles,
  thresholdUnit,
  windowTitles,
  type RuleAlert,
  type Unit,
} from "./words.ts";

const unitTexts: Readonly<Record<Unit, string>> = {
  score: "",
  share: ", in %",
  milliseconds: ", in ms",
  dollars: ", in US dollars",
  count: "",
};

/** Returns the label of the threshold, with its unit. */
const thresholdLabel = (form: AlertForm): string => {
  const unit = unitTexts[thresholdUnit(form)];
  if (form.compare_with !== "threshold") return `Largest change that is no alert${unit}`;
  return `${figures[form.signal].worse === "higher" ? "Alert above" : "Alert below"}${unit}`;
};

const isScoreBelow = ({ signal }: AlertForm): boolean => signal === "score_below";

/** A setting as the form shows it. */
export interface SettingWords {
  readonly label: string | ((form: AlertForm) => string);
  /** Titles of its values, in their order. */
  readonly titles?: Readonly<Record<string, string>>;
  /** Tells whether a rule has the setting; absent for always. */
  readonly isShown?: (form: AlertForm) => boolean;
  readonly isShort?: true;
  /** Id of a list of proposed values. */
  readonly list?: string;
}

/** Id of the list of scores that a rule can watch. */
export const scoreNames = "score-names";

/** Rows of the form. The last one has the settings that are missing here, too, with their names as labels. */
export const settingRows: readonly { readonly [Name in keyof AlertForm]?: SettingWords }[] = [
  {
    signal: { label: "Signal", titles: signalTitles },
    metric_name: {
      label: "Metric or score name",
      isShown: ({ signal }) => isScoreSignal(signal),
      list: scoreNames,
    },
    below: { label: "Counts scores below", isShown: isScoreBelow, isShort: true },
    category: { label: "Category", isShown: ({ signal }) => isCategorySignal(signal), isShort: true },
    window: { label: "Window", titles: windowTitles },
  },
  {
    compare_with: { label: "Compare with", titles: baselineTitles },
    threshold: { label: thresholdLabel },
    minimum_count: {
      label: ({ signal }) => (isScoreSignal(signal) ? "Scores needed in a window" : "Traces needed in a window"),
    },
    no_data: { label: "Too little data means", titles: noDataTitles },
  },
  {
    severity: { label: "Severity" },
    repeat_every: {
      label: "Remind of a lasting alert",
      titles: {
        "": "never",
        ...Object.fromEntries(Object.entries(windowTitles).map(([key, title]) => [key, `every ${title}`])),
      },
    },
    significance: { label: "only changes that are significant at 99.5 %" },
    announce_scores: { label: "an event for each score below the value, too", isShown: isScoreBelow },
  },
];

/** Settings of a rule beside its condition. */
export const AlertFacts = ({ rule }: { readonly rule: RuleAlert }) => (
  <p class="facts">
    <span>severity {rule.severity}</span>
    {Object.entries(rule.filters).map(([name, value]) => (
      <span class="tag" dir="auto">
        {name.replaceAll("_", " ")} {typeof value === "string" ? value : JSON.stringify(value)}
      </span>
    ))}
    <span>at least {rule.minimum_count} in a window</span>
    <span>{rule.significance ? "only significant changes" : "also insignificant changes"}</span>
    <span>too little data means {noDataTitles[rule.no_data]}</span>
    {rule.repeat_every !== null && <span>reminds every {windowTitles[rule.repeat_every]}</span>}
  </p>
);
