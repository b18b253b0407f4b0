import type { ExperimentComparison, MeasureOfExperiments } from "../../client/interface.ts";
import { dollars, duration } from "../format.ts";
import { DataTable, type TableColumn } from "../parts/wide-table.tsx";
import { CorrectedBadge, correctedTitle } from "../trends/corrected-badge.tsx";
import { points } from "../trends/comparison.tsx";

const verdictTexts = {
  worse: "The candidate is worse in",
  cannot_tell: "This data cannot tell about",
  not_worse: "The candidate is not worse in",
} as const;

const reasonTexts = {
  too_few: ": too few items",
  too_many_missing: ": too many missing or not judged",
  no_scores: ": no scores",
  no_threshold: ": no threshold",
} as const;

/** A metric, the cost or the latency, with the form of its differences. */
type Row = MeasureOfExperiments & { readonly name: string; readonly text: (difference: number) => string };

const signed =
  (text: (amount: number) => string) =>
  (difference: number): string =>
    (difference > 0 ? "+" : difference < 0 ? "−" : "") + text(Math.abs(difference));

const columns: readonly TableColumn<Row>[] = [
  ["metric", ({ name }) => name.replaceAll("_", " ")],
  ["verdict", ({ verdict, reason }) => verdict.replaceAll("_", " ") + (reason === null ? "" : reasonTexts[reason])],
  ["mean difference", ({ mean, text }) => mean !== null && <b>{text(mean)}</b>],
  [
    "95 % interval",
    ({ interval, text }) => interval !== null && `${text(interval.lower)}\u{a0}to\u{a0}${text(interval.upper)}`,
  ],
  [`${correctedTitle} (baseline)`, ({ corrected }) => <CorrectedBadge corrected={corrected?.baseline} />],
  [`${correctedTitle} (candidate)`, ({ corrected }) => <CorrectedBadge corrected={corrected?.candidate} />],
  ["items worse", ({ regression_count: count }) => count],
  ["items better", ({ improvement_count: count }) => count],
  ["compared", ({ items }) => items.compared],
  ["missing", ({ items }) => items.missing],
  ["not judged", ({ items }) => items.unjudged],
  ["not applicable", ({ items }) => items.inapplicable],
  ["detectable drop", ({ detectable_difference: drop }) => drop?.toFixed(3)],
];

/** Verdict of a comparison in a sentence, and a table of its metrics, cost and latency with intervals and numbers of items. */
export const Verdicts = ({ verdict, metrics, cost, latency }: ExperimentComparison) => {
  const names = metrics.flatMap((metric) =>
    metric.verdict === verdict ? metric.metric_name.replaceAll("_", " ") : [],
  );
  const rows: readonly Row[] = [
    ...metrics.map((metric) => ({ ...metric, name: metric.metric_name, text: points })),
    { ...cost, name: "cost", text: signed(dollars) },
    { ...latency, name: "latency", text: signed(duration) },
  ];
  return (
    <>
      {metrics.length > 0 && (
        <p class={`verdict ${verdict}`} role="status">
          <b>
            {verdictTexts[verdict]} {names.join(", ") || "all metrics together"}.
          </b>
        </p>
      )}
      <DataTable label="Verdicts" rows={rows} columns={columns} />
      <p class="faint">
        Worse: the whole interval is below −0.05, or above 0 for cost and latency; not worse: all of it is on the other
        side. Each item is compared with itself; repeats of one count once, and what is missing or not judged is neither
        a loss nor a pass. Detectable drop: the smallest one that so many items mostly show.
      </p>
    </>
  );
};
