import { Fragment } from "preact";
import type { ScoreSummary, ScoreTrendBucket } from "../../client/interface.ts";
import { count } from "../format.ts";
import { hrefTo } from "../route.ts";
import { comparisonSide, dimensions, groupLabel, groupValue, oldestGroup, type DimensionName } from "./groups.ts";
import { CorrectedBadge } from "./corrected-badge.tsx";
import { type ScoreEstimate, IntervalBar } from "./interval-bar.tsx";

/** Max rows of the table. */
const maxGroups = 8;

const noValues: ScoreEstimate = {
  value: null,
  interval: null,
  count: 0,
  clusters: 0,
  method: "cluster_robust_t",
  reason: "too_few",
};

const rulesTitle =
  "The local runtime's fixed rules look at statuses and names only: these scores are for demonstration.";

/** Says how many of an average's scores no model gave; nothing if there are none. */
export const RuleBasedNote = ({ scores }: { readonly scores: { readonly rule_based_count: number } }) =>
  scores.rule_based_count === 0 ? null : (
    <span class="bad" title={rulesTitle}>
      {count(scores.rule_based_count)} by offline/rules
    </span>
  );

/** Means of a group by time as small columns from 0 to 1. */
const MiniTrend = ({ buckets, label }: { readonly buckets: readonly ScoreTrendBucket[]; readonly label: string }) => {
  const text = buckets.map(({ bucket, avg_score: mean }) => `${bucket.slice(0, 10)}: ${mean.toFixed(2)}`).join(", ");
  return (
    <span class="mini-trend" title={text} role="img" aria-label={`${label}: ${text}`}>
      {buckets.map(({ bucket, avg_score: mean }) => (
        <span key={bucket} style={{ height: `${Math.min(1, Math.max(0.05, mean)) * 100}%` }} />
      ))}
    </span>
  );
};

/** Row with the corrected pass rate of the group above, as its figures are wider than a column; none without labels. */
const CorrectedRow = ({ corrected }: Pick<ScoreSummary, "corrected">) =>
  corrected && corrected.reason !== "no_labels" ? (
    <tr>
      <td colSpan={7}>
        <CorrectedBadge corrected={corrected} isNamed />
      </td>
    </tr>
  ) : null;

/**
 * Table of a metric's scores by a dimension: count, mean and pass rate with their 95 % intervals, the trend, and a link to the
 * comparison of each group of traces with the oldest one.
 */
export const GroupTable = ({
  name,
  groups,
  trends,
  dimension,
  from,
  hrefOf,
}: {
  /** Name of the metric. */
  readonly name: string;
  readonly groups: readonly ScoreSummary[];
  readonly trends: readonly ScoreTrendBucket[];
  readonly dimension: DimensionName;
  /** Start of the range, ISO 8601. */
  readonly from: string;
  /** Returns the link of a group with this value. */
  readonly hrefOf: (value: string) => string;
}) => {
  const { title, filtersOf } = dimensions[dimension];
  const rows = groups.slice(0, maxGroups);
  const values = rows.flatMap((group) => groupValue(group, dimension) ?? []);
  const baseline = oldestGroup(values, trends, dimension);
  const hasPassRate = rows.some(({ pass_rate: rate }) => (rate?.count ?? 0) > 0);
  const isCompared = filtersOf !== null && values.length > 1;
  return (
    <table class="groups">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="number">
            n
          </th>
          <th scope="col" class="number">
            mean
          </th>
          <th scope="col">95 %</th>
          {hasPassRate && <th scope="col">pass rate</th>}
          <th scope="col">trend</th>
          {isCompared && (
            <th scope="col" class="links">
              compare
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((group) => {
          const [label, value] = [groupLabel(group, dimension), groupValue(group, dimension)];
          const { mean = noValues, pass_rate: rate = noValues, corrected } = group;
          const ofGroup = trends.filter((bucket) => isSameGroup(bucket, group, dimension));
          return (
            <Fragment key={`${value === null} ${label}`}>
              <tr>
                <th scope="row">
                  {value === null ? (
                    label
                  ) : (
                    <a href={hrefOf(value)} dir="auto" title={value}>
                      {label}
                    </a>
                  )}{" "}
                  <RuleBasedNote scores={group} />
                </th>
                <td class="number">{count(mean.count)}</td>
                <td class="number">{mean.value?.toFixed(2) ?? "–"}</td>
                <td>
                  <IntervalBar estimate={mean} />
                </td>
                {hasPassRate && (
                  <td>
                    <IntervalBar estimate={rate} />
                  </td>
                )}
                <td>
                  <MiniTrend buckets={ofGroup} label={label} />
                </td>
                {isCompared && (
                  <td>
                    {value === baseline && "baseline"}
                    {value !== null && value !== baseline && (
                      <a
                        href={hrefTo("compare", null, {
                          metric: name,
                          baseline: comparisonSide(filtersOf(baseline)),
                          candidate: comparisonSide(filtersOf(value)),
                          from,
                        })}
                        title={`Compare ${value} with ${baseline}`}
                        aria-label={`Compare ${value} with ${baseline}`}
                      >
                        compare
                      </a>
                    )}
                  </td>
                )}
              </tr>
              <CorrectedRow corrected={corrected} />
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
};

const isSameGroup = (bucket: ScoreTrendBucket, group: ScoreSummary, dimension: DimensionName): boolean =>
  bucket.is_other === group.is_other && bucket.group?.[dimension] === group.group?.[dimension];
