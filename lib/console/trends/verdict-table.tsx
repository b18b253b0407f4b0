import type { ComparedScores, ScoreComparison } from "../../client/interface.ts";
import { dollars, duration, percent } from "../format.ts";
import { DataTable } from "../parts/wide-table.tsx";
import { verdictReasons } from "./comparison.tsx";
import { figureVerdict, type BoundedFigure } from "./comparison-rules.ts";
import { hrefTo, route } from "../route.ts";

/** A figure of both sides, of which a smaller value is better, and its format. */
const figures = [
  ["failed traces", ({ error_rate: rate }: ComparedScores) => rate, (rate: number) => percent(rate, 1)],
  ["cost of a trace", ({ cost }: ComparedScores) => cost, dollars],
  ["latency, median", ({ latency_p50_ms: latency }: ComparedScores) => latency, duration],
  ["latency, p95", ({ latency_p95_ms: value }: ComparedScores) => ({ value, interval: null }), duration],
] as const;

interface Row {
  readonly name: string;
  /** Address of the metric's own comparison; null for a figure of traces. */
  readonly href: string | null;
  readonly baseline: string;
  readonly candidate: string;
  readonly verdict: string;
  readonly reason: string | null;
}

const mean = ({ mean: { value } }: ComparedScores): string => value?.toFixed(2) ?? "–";

/** A verdict on every score, and on failures, cost and latency. */
export const VerdictTable = ({ comparisons }: { readonly comparisons: readonly ScoreComparison[] }) => {
  const [first] = comparisons;
  if (first === undefined) return null;
  const { query } = route.value;
  const rows: readonly Row[] = [
    ...comparisons.map(({ metric_name: metric, baseline, candidate, verdict, reason }) => ({
      name: metric.replaceAll("_", " "),
      href: hrefTo("compare", null, { ...query, metric }),
      baseline: mean(baseline),
      candidate: mean(candidate),
      verdict: verdict.replaceAll("_", " "),
      reason:
        reason === null ? (verdict === "cannot_tell" ? "The interval is too wide." : null) : verdictReasons[reason],
    })),
    ...figures.map(([name, of, format]) => {
      const [before, after] = [of(first.baseline), of(first.candidate)];
      const text = ({ value }: Pick<BoundedFigure, "value">): string => (value === null ? "–" : format(value));
      const verdict = figureVerdict(before, after);
      return { name, href: null, baseline: text(before), candidate: text(after), verdict, reason: null };
    }),
  ];
  const worse = rows.filter(({ verdict }) => verdict === "worse").map(({ name }) => name);
  return (
    <>
      <p class={`verdict ${worse.length > 0 ? "worse" : ""}`} role="status">
        <b>
          {worse.length > 0
            ? `The candidate is worse in ${worse.join(", ")}.`
            : "The candidate is nowhere shown to be worse."}
        </b>
      </p>
      <DataTable
        label="Verdicts"
        rows={rows}
        columns={[
          ["figure", ({ name, href }) => (href === null ? name : <a href={href}>{name}</a>)],
          ["baseline", ({ baseline }) => baseline],
          ["candidate", ({ candidate }) => candidate],
          [
            "verdict",
            ({ verdict, reason }) => (
              <>
                {verdict === "worse" ? <b class="bad">{verdict}</b> : verdict}
                {reason !== null && <div class="faint">{reason}</div>}
              </>
            ),
          ],
        ]}
      />
      <p class="faint">
        Scores: the mean may drop by {first.max_drop}. Failures, cost and latency: worse or better where the 95 %
        intervals lie apart; the p95 has no interval, and so no verdict.
      </p>
    </>
  );
};
