import type { CorrectedRate, ScoreSummary } from "../../client/interface.ts";
import { escapeScoreName } from "../../domain/score-name.ts";
import { useLoad } from "../use-load.ts";
import { getDistribution, getGroupTrends, getTrend, type TargetKind } from "./score-queries.ts";
import { dimensions, type DimensionName } from "./groups.ts";
import type { TimeWindow } from "../parts/time-window.ts";
import { hrefTo, route } from "../route.ts";
import { count, plural } from "../format.ts";
import { BarChart } from "./bar-chart.tsx";
import { GroupTable, RuleBasedNote } from "./group-table.tsx";
import { CorrectedBadge } from "./corrected-badge.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { TrendChart } from "./trend-chart.tsx";
import { escapeListValue } from "../traces/trace-filters.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";

/** Number of bars of the distribution: the API's default number of buckets. */
const bucketCount = 10;

const twoDigits = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

/** Card of a metric: summary, trend, distribution of values, and optionally a comparison by a dimension. */
export const MetricCard = ({
  summary,
  corrected,
  window,
  targetKind,
  dimension,
  groups,
}: {
  readonly summary: ScoreSummary;
  /** Pass rate without the errors of the judge; undefined while it loads and for sessions. */
  readonly corrected: CorrectedRate | undefined;
  readonly window: TimeWindow;
  readonly targetKind: TargetKind;
  readonly dimension: DimensionName | null;
  /** Summaries of the metric by group; null while they load or without a dimension. */
  readonly groups: readonly ScoreSummary[] | null;
}) => {
  const { metric_name: name } = summary;
  const { started_after: from, granularity } = window;
  const trend = useLoad((signal) => getTrend(targetKind, name, window, signal), [targetKind, name, from, granularity]);
  const distribution = useLoad((signal) => getDistribution(targetKind, name, from, signal), [targetKind, name, from]);
  const groupTrends = useLoad(
    async (signal) => (dimension === null ? [] : await getGroupTrends(name, window, dimension, signal)),
    [name, from, granularity, dimension],
  );
  const { query } = route.value;
  const view = { of: targetKind, range: query["range"] ?? null, by: query["by"] ?? null };
  const scoresHref = (filters: Readonly<Record<string, string>>): string =>
    hrefTo("scores", null, { name, date_from: from, ...filters, ...view });
  const counts = distribution.value ?? [];
  const maxBarCount = Math.max(1, ...counts.map(({ count: each }) => each));
  const isShare = (summary.min_score ?? 0) >= 0 && (summary.max_score ?? 1) <= 1;
  const [minValue, maxValue] = isShare ? [0, 1] : [summary.min_score ?? 0, summary.max_score ?? 1];
  const barBuckets = Array.from({ length: bucketCount }, (_, at) => counts.find(({ bucket }) => bucket === at + 1));
  const error = trend.error ?? distribution.error ?? groupTrends.error;
  return (
    <article class="multiple">
      <header>
        <h2 dir="auto">{name.replaceAll("_", " ")}</h2>
        <b class="figure">{twoDigits(summary.avg_score)}</b>
      </header>
      <p class="facts">
        <span>mean of {count(summary.success_count)}</span>
        <span>median {twoDigits(summary.median_score)}</span>
        <CorrectedBadge corrected={corrected} isNamed />
        <RuleBasedNote scores={summary} />
        {summary.inapplicable_count > 0 && <span>{count(summary.inapplicable_count)} not applicable</span>}
        {summary.failed_count > 0 && (
          <a class="bad" href={scoresHref({ status: "FAILED" })}>
            ✕ {count(summary.failed_count)} failed
          </a>
        )}
        <span>
          last <LocalTime at={summary.latest_score_at} />
        </span>
      </p>
      <ErrorAlert
        error={error}
        reload={() => {
          trend.reload();
          distribution.reload();
          groupTrends.reload();
        }}
      />
      <TrendChart
        name={name}
        buckets={trend.value ?? []}
        window={window}
        minValue={minValue}
        maxValue={maxValue}
        hrefOf={(date_from, date_to) => scoresHref({ date_from, date_to })}
      />
      <figure>
        <BarChart
          label={`${name}: distribution of values`}
          bars={barBuckets.map((bucket, at) => {
            const [low, high] = [bucket?.bucket_min ?? at / bucketCount, bucket?.bucket_max ?? (at + 1) / bucketCount];
            return {
              height: (bucket?.count ?? 0) / maxBarCount,
              title: `${twoDigits(low)} to ${twoDigits(high)}: ${plural(bucket?.count ?? 0, "score")}`,
              href: scoresHref({ min_value: String(low), max_value: String(high) }),
            };
          })}
        />
        <figcaption class="ends faint">
          <span>{twoDigits(minValue)}</span>
          <span>values</span>
          <span>{twoDigits(maxValue)}</span>
        </figcaption>
      </figure>
      {dimension !== null && groups !== null && (
        <GroupTable
          name={name}
          groups={groups}
          trends={groupTrends.value ?? []}
          dimension={dimension}
          from={from}
          hrefOf={(value) => {
            const { filtersOf } = dimensions[dimension];
            if (filtersOf !== null)
              return hrefTo("traces", null, {
                ...filtersOf(value),
                ...(dimension === "tag" && { tags: escapeListValue(value) }),
                score: `${escapeListValue(escapeScoreName(name))}>=${minValue}`,
              });
            return scoresHref({ [dimension]: value.split("#").at(-1) ?? value });
          }}
        />
      )}
    </article>
  );
};
