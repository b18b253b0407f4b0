import type { ScoreSummary } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { spreadOf, trendOf, type Kind } from "./asked.ts";
import type { Dimension, Group } from "./groups.ts";
import type { Range } from "./ranges.ts";
import { hrefTo, place } from "../place.ts";
import { count, plural } from "../words.ts";
import { Bars } from "./bars.tsx";
import { GroupTable } from "./group-table.tsx";
import { Instant } from "../parts/instant.tsx";
import { Trend } from "./trend.tsx";
import { Trouble } from "../parts/trouble.tsx";

/** Bars of a distribution, as many as the interface makes of a range by itself. */
const buckets = 10;

const two = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

/** One metric: where it stands, where it comes from, how its values spread, what failed. */
export const Multiple = ({
  summary,
  range,
  begin,
  of,
  by,
  groups,
}: {
  readonly summary: ScoreSummary;
  readonly range: Range;
  /** Milliseconds. */
  readonly begin: number;
  readonly of: Kind;
  readonly by: Dimension | null;
  readonly groups: readonly Group[] | null;
}) => {
  const { metric_name: name } = summary;
  const from = new Date(begin).toISOString();
  const trend = useLoad((signal) => trendOf(of, name, from, range, signal), [of, name, from, range]);
  const spread = useLoad((signal) => spreadOf(of, name, from, signal), [of, name, from]);
  const { query } = place.value;
  const view = { of, range: query["range"] ?? null, by: query["by"] ?? null };
  const scores = (filters: Readonly<Record<string, string>>): string =>
    hrefTo("scores", null, { name, date_from: from, ...filters, ...view });
  const counts = spread.value ?? [];
  const highest = Math.max(1, ...counts.map(({ count: each }) => each));
  const isShare = (summary.min_score ?? 0) >= 0 && (summary.max_score ?? 1) <= 1;
  const [least, most] = isShare ? [0, 1] : [summary.min_score ?? 0, summary.max_score ?? 1];
  const places = Array.from({ length: buckets }, (_, at) => counts.find(({ bucket }) => bucket === at + 1));
  const error = trend.error ?? spread.error;
  return (
    <article class="multiple">
      <header>
        <h2 dir="auto">{name.replaceAll("_", " ")}</h2>
        <b class="figure">{two(summary.avg_score)}</b>
      </header>
      <p class="facts">
        <span>mean of {count(summary.success_count)}</span>
        <span>median {two(summary.median_score)}</span>
        {summary.inapplicable_count > 0 && <span>{count(summary.inapplicable_count)} do not apply</span>}
        {summary.failed_count > 0 && (
          <a class="bad" href={scores({ status: "FAILED" })}>
            ✕ {count(summary.failed_count)} failed
          </a>
        )}
        <span>
          last <Instant at={summary.latest_score_at} />
        </span>
      </p>
      <Trouble
        error={error}
        again={() => {
          trend.again();
          spread.again();
        }}
      />
      <div class="chart">
        <span class="scale-of faint" aria-hidden="true">
          <span>{two(most)}</span>
          <span>{two(least)}</span>
        </span>
        <Trend
          name={name}
          buckets={trend.value ?? []}
          range={range}
          begin={begin}
          least={least}
          most={most}
          hrefOf={(date_from, date_to) => scores({ date_from, date_to })}
        />
      </div>
      <figure>
        <Bars
          label={`${name}: how the values are spread`}
          bars={places.map((bucket, at) => {
            const [low, high] = [bucket?.bucket_min ?? at / buckets, bucket?.bucket_max ?? (at + 1) / buckets];
            return {
              height: (bucket?.count ?? 0) / highest,
              title: `${two(low)} to ${two(high)}: ${plural(bucket?.count ?? 0, "score")}`,
              href: scores({ min_value: String(low), max_value: String(high) }),
            };
          })}
        />
        <figcaption class="ends faint">
          <span>{two(least)}</span>
          <span>values</span>
          <span>{two(most)}</span>
        </figcaption>
      </figure>
      {by !== null && groups !== null && (
        <GroupTable
          groups={groups}
          by={by}
          hrefOf={(label) =>
            by === "judge"
              ? scores({ judge: label.split("#").at(-1) ?? label })
              : hrefTo("traces", null, { [by]: label, score: `${name}>=${least}` })
          }
        />
      )}
    </article>
  );
};
