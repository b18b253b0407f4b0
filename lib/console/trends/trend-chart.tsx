import type { ScoreTrendBucket } from "../../client/interface.ts";
import type { Range } from "./ranges.ts";
import { plural, shortTime } from "../format.ts";

const twoDigits = (value: number): string => String(Math.round(value * 100) / 100);

/** Trend of a metric: a column from p10 to p90 with the mean for each day or week, linked to its scores. */
export const TrendChart = ({
  name,
  buckets,
  range,
  startMs,
  minValue,
  maxValue,
  hrefOf,
}: {
  readonly name: string;
  readonly buckets: readonly ScoreTrendBucket[];
  readonly range: Range;
  /** Start of the range, in epoch milliseconds. */
  readonly startMs: number;
  readonly minValue: number;
  readonly maxValue: number;
  readonly hrefOf: (from: string, until: string) => string;
}) => {
  const bucketsByTime = new Map(buckets.map((bucket) => [Date.parse(bucket.bucket), bucket]));
  const share = (value: number): number => ((value - minValue) / Math.max(1e-9, maxValue - minValue)) * 100;
  return (
    <div class="trend" role="group" aria-label={`${name}: mean and p10 to p90 of each ${range.granularity}`}>
      {Array.from({ length: range.bars }, (_, at) => {
        const from = startMs + at * range.step;
        const bucket = bucketsByTime.get(from);
        const [first, last] = [new Date(from).toISOString(), new Date(from + range.step).toISOString()];
        if (bucket === undefined) return <span class="none" title={`${shortTime(first)}: no score`} key={at} />;
        const { avg_score: mean, p10_score: p10, p90_score: p90, count, inapplicable_count: inapplicable } = bucket;
        const title = [
          `${shortTime(first)}: mean ${twoDigits(mean)} of ${plural(count, "score")}`,
          `p10 ${twoDigits(p10)}, p90 ${twoDigits(p90)}`,
          ...(inapplicable > 0 ? [`${inapplicable} not applicable`] : []),
        ].join("; ");
        return (
          <a href={hrefOf(first, last)} title={title} aria-label={title} key={at}>
            <span
              class="spread"
              style={{ bottom: `${share(p10)}%`, height: `${Math.max(3, share(p90) - share(p10))}%` }}
            />
            <span class="mean" style={{ bottom: `${share(mean)}%` }} />
          </a>
        );
      })}
    </div>
  );
};
