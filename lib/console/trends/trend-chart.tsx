import type { ScoreTrendBucket } from "../../client/interface.ts";
import { count } from "../format.ts";
import { Chart } from "../parts/chart.tsx";
import type { TimeWindow } from "../parts/time-window.ts";

const twoDigits = (value: number): string => String(Math.round(value * 100) / 100);

const band = { kind: "edge", tone: "band", legend: "p10 to p90", format: twoDigits } as const;

/** Trend of a metric: the mean of each day or week within p10 to p90, linked to its scores. */
export const TrendChart = ({
  name,
  buckets,
  window: { granularity, times, step },
  minValue = 0,
  maxValue = 1,
  hrefOf,
}: {
  readonly name: string;
  readonly buckets: readonly ScoreTrendBucket[];
  readonly window: TimeWindow;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly hrefOf: (from: string, until: string) => string;
}) => {
  const bucketsByTime = new Map(buckets.map((bucket) => [Date.parse(bucket.bucket), bucket]));
  return (
    <Chart
      title={`${name}: mean and p10 to p90 of each ${granularity}`}
      class="trend"
      times={times}
      step={step}
      points={times.map((time) => bucketsByTime.get(time))}
      range={[minValue, maxValue]}
      hrefOf={hrefOf}
      series={[
        { ...band, title: "p90", valueOf: (bucket) => bucket.p90_score },
        { ...band, title: "p10", valueOf: (bucket) => bucket.p10_score },
        { title: "mean", kind: "line", tone: "link", format: twoDigits, valueOf: (bucket) => bucket.avg_score },
        { title: "scores", kind: null, tone: "bar", format: count, valueOf: (bucket) => bucket.count },
        {
          title: "not applicable",
          kind: null,
          tone: "bar",
          format: count,
          valueOf: (bucket) => bucket.inapplicable_count,
        },
      ]}
    />
  );
};
