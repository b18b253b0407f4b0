import type { ScoreTrendBucket } from "../../client/interface.ts";
import type { Range } from "./ranges.ts";
import { plural, when } from "../words.ts";

const two = (value: number): string => String(Math.round(value * 100) / 100);

/** A column for each bar of a range: from p10 to p90, the mean on it, how many below; each leads to its scores. */
export const Trend = ({
  name,
  buckets,
  range,
  begin,
  least,
  most,
  hrefOf,
}: {
  readonly name: string;
  readonly buckets: readonly ScoreTrendBucket[];
  readonly range: Range;
  /** Milliseconds. */
  readonly begin: number;
  readonly least: number;
  readonly most: number;
  readonly hrefOf: (from: string, until: string) => string;
}) => {
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.bucket), bucket]));
  const share = (value: number): number => ((value - least) / Math.max(1e-9, most - least)) * 100;
  return (
    <div class="trend" role="group" aria-label={`${name}: mean and p10 to p90 of each ${range.granularity}`}>
      {Array.from({ length: range.bars }, (_, at) => {
        const from = begin + at * range.step;
        const bucket = known.get(from);
        const [first, last] = [new Date(from).toISOString(), new Date(from + range.step).toISOString()];
        if (bucket === undefined) return <span class="none" title={`${when(first)}: no score`} key={at} />;
        const { avg_score: mean, p10_score: p10, p90_score: p90, count, inapplicable_count: other } = bucket;
        const told = [
          `${when(first)}: mean ${two(mean)} of ${plural(count, "score")}`,
          `p10 ${two(p10)}, p90 ${two(p90)}`,
          ...(other > 0 ? [`${other} do not apply`] : []),
        ].join("; ");
        return (
          <a href={hrefOf(first, last)} title={told} aria-label={told} key={at}>
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
