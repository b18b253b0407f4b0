import type { ComponentChildren } from "preact";
import type { ComparedScores, ScoreComparison, ScoreDifference } from "../../client/interface.ts";
import { count, dollars, duration } from "../format.ts";
import { DataTable } from "../parts/wide-table.tsx";
import { CorrectedBadge, correctedTitle } from "./corrected-badge.tsx";
import { estimateText, IntervalBar, passRateText } from "./interval-bar.tsx";

const verdictTexts = {
  worse: "The candidate is worse.",
  not_worse: "The candidate is not worse.",
  cannot_tell: "This data cannot tell.",
} as const;

/** Reasons why data cannot tell, or what else stands beside a verdict. */
export const verdictReasons = {
  too_few: "A side has fewer than ten values, or in sessions fewer than ten unlike the commonest.",
  too_many_missing: "More than a tenth of a side's judgements failed.",
  no_threshold: "The scores neither pass nor fail.",
} as const;

/** Formats a difference with its sign. */
export const points = (value: number, digits = 3): string => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;

/** Names of the methods of intervals. */
const methodTexts = {
  cluster_robust_t: "t interval, sessions as clusters",
  newcombe_effective_n: "Newcombe's interval, sessions as clusters",
} as const;

/** Difference with interval, p value and the smallest drop that could have been shown, in one sentence. */
const DifferenceText = ({ title, difference }: { readonly title: string; readonly difference: ScoreDifference }) => {
  const { difference: value, interval, p_value: p, detectable_difference: detectable, method } = difference;
  if (value === null) return null;
  return (
    <p>
      {title} <b>{points(value)}</b>
      {interval !== null && (
        <>
          {" "}
          (95 %: {points(interval.lower)} to {points(interval.upper)}
          {p !== null && `, p ${p < 0.001 ? "below 0.001" : `= ${p.toFixed(3)}`}`})
        </>
      )}
      {detectable !== null && (
        <span class="faint">
          . A drop below {detectable.toFixed(3)} would mostly not be found in this much data ({methodTexts[method]}).
        </span>
      )}
    </p>
  );
};

const estimated = (format: (value: number) => string, { value, interval }: ComparedScores["cost"]): string => {
  if (value === null) return "–";
  return interval === null
    ? format(value)
    : `${format(value)} (${format(Math.max(0, interval.lower))} to ${format(interval.upper)})`;
};

/** Figures of both sides, by row of the table. */
const figures: readonly (readonly [title: string, textOf: (side: ComparedScores) => ComponentChildren])[] = [
  ["traces", ({ trace_count: traces }) => count(traces)],
  ["scores", ({ count: scores }) => count(scores)],
  ["scores by offline/rules", ({ rule_based_count: ruleBased }) => count(ruleBased)],
  ["failed judgements", ({ failed_count: failed }) => count(failed)],
  ["applicable", ({ applicable_rate: rate }) => estimateText(rate)],
  ["mean", ({ mean }) => estimateText(mean)],
  ["median", ({ median }) => estimateText(median)],
  ["pass rate", passRateText],
  [correctedTitle, ({ corrected }) => <CorrectedBadge corrected={corrected} />],
  ["traces with an error", ({ error_rate: rate }) => estimateText(rate)],
  ["cost of a trace", ({ cost }) => estimated(dollars, cost)],
  ["latency, median", ({ latency_p50_ms: latency }) => estimated(duration, latency)],
  ["latency, p95", ({ latency_p95_ms: latency }) => duration(latency)],
];

/** Verdict of a comparison, the differences, and the figures of both sides. */
export const ComparisonView = ({
  comparison,
  baseline,
  candidate,
}: {
  readonly comparison: ScoreComparison;
  /** Filters of the sides, as column heads. */
  readonly baseline: string;
  readonly candidate: string;
}) => {
  const { verdict, reason, max_drop: maxDrop } = comparison;
  return (
    <>
      <p class={`verdict ${verdict}`} role="status">
        <b>{verdictTexts[verdict]}</b> {reason !== null && verdictReasons[reason]}{" "}
        <span class="faint">A drop of {maxDrop} is accepted.</span>
      </p>
      <div class="intervals">
        {[
          { title: baseline, side: comparison.baseline },
          { title: candidate, side: comparison.candidate },
        ].map(({ title, side }) => (
          <div>
            <b dir="auto">{title}</b>
            <IntervalBar estimate={side.pass_rate.value === null ? side.mean : side.pass_rate} />
          </div>
        ))}
      </div>
      <DifferenceText title="Mean" difference={comparison.mean} />
      <DifferenceText title="Pass rate" difference={comparison.pass_rate} />
      <DataTable
        label="Figures of both sides"
        rows={figures}
        columns={[
          [<span class="unseen">figure</span>, ([title]) => title],
          [<span dir="auto">{baseline}</span>, ([, textOf]) => textOf(comparison.baseline)],
          [<span dir="auto">{candidate}</span>, ([, textOf]) => textOf(comparison.candidate)],
        ]}
      />
      <p class="faint">In parentheses: 95 % intervals. All matching traces, and the newest score of each.</p>
    </>
  );
};
