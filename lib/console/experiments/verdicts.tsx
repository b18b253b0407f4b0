import type { MetricOfExperiments } from "../../client/interface.ts";
import { DataTable, type TableColumn } from "../parts/wide-table.tsx";
import { points } from "../trends/comparison.tsx";

const verdictTexts = {
  worse: "The candidate is worse in",
  cannot_tell: "This data cannot tell about",
  not_worse: "The candidate is not worse in",
} as const;

const reasonTexts = { too_few: ": too few items", too_many_missing: ": too many missing or not judged" } as const;

const columns: readonly TableColumn<MetricOfExperiments>[] = [
  ["metric", ({ metric_name: name }) => name.replaceAll("_", " ")],
  ["verdict", ({ verdict, reason }) => verdict.replaceAll("_", " ") + (reason === null ? "" : reasonTexts[reason])],
  ["mean difference", ({ mean }) => mean !== null && <b>{points(mean)}</b>],
  [
    "95 % interval",
    ({ interval }) => interval !== null && `${points(interval.lower)}\u{a0}to\u{a0}${points(interval.upper)}`,
  ],
  ["items worse", ({ regression_count: count }) => count],
  ["items better", ({ improvement_count: count }) => count],
  ["compared", ({ items }) => items.compared],
  ["missing", ({ items }) => items.missing],
  ["not judged", ({ items }) => items.unjudged],
  ["not applicable", ({ items }) => items.inapplicable],
  ["detectable drop", ({ detectable_difference: drop }) => drop?.toFixed(3)],
];

/** Verdict of a comparison in a sentence, and a table of its metrics with intervals and numbers of items. */
export const Verdicts = ({ metrics }: { readonly metrics: readonly MetricOfExperiments[] }) => {
  const namesOf = (verdict: keyof typeof verdictTexts): string =>
    metrics.flatMap((metric) => (metric.verdict === verdict ? metric.metric_name.replaceAll("_", " ") : [])).join(", ");
  const verdict = (["worse", "cannot_tell"] as const).find((each) => namesOf(each) !== "") ?? "not_worse";
  return (
    <>
      <p class={`verdict ${verdict}`} role="status">
        <b>
          {verdictTexts[verdict]} {namesOf(verdict)}.
        </b>
      </p>
      <DataTable label="Verdicts" rows={metrics} columns={columns} />
      <p class="faint">
        Worse: the whole interval is below −0.05; not worse: all of it is above. Each item is compared with itself;
        repeats of one count once, and what is missing or not judged is neither a loss nor a pass. Detectable drop: the
        smallest one that so many items mostly show.
      </p>
    </>
  );
};
