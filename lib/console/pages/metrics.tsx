import { useSignal } from "@preact/signals";
import type { ScoreSummary } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { Instant } from "../parts/instant.tsx";
import { Bars } from "../parts/bars.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";
import { count, plural, when } from "../words.ts";

const day = 86_400_000;

const week = 7 * day;

/** Ranges by what a bar stands for: more bars than 13 would be too narrow to be hit. */
const ranges = {
  days: { title: "7 days", granularity: "day", step: day, bars: 7 },
  weeks: { title: "5 weeks", granularity: "week", step: week, bars: 5 },
  quarter: { title: "13 weeks", granularity: "week", step: week, bars: 13 },
} as const;

type Range = (typeof ranges)[keyof typeof ranges];

/** When the first bar begins: at midnight in UTC, weeks on a Monday. */
const beginOf = ({ step, bars }: Range): number => {
  // The first of January 1970 was a Thursday.
  const shift = step === week ? 3 * day : 0;
  return Math.floor((Date.now() + shift) / step) * step - shift - (bars - 1) * step;
};

const two = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

const Multiple = ({
  summary,
  range,
  from,
}: {
  readonly summary: ScoreSummary;
  readonly range: Range;
  readonly from: string;
}) => {
  const { metric_name: name } = summary;
  const trend = useLoad(
    (signal) =>
      client.value.getTraceScoreTrend(
        { query: { metric_name: name, date_from: from, granularity: range.granularity } },
        { signal },
      ),
    [name, from],
  );
  const spread = useLoad(
    (signal) => client.value.getTraceScoreDistribution({ query: { metric_name: name, date_from: from } }, { signal }),
    [name, from],
  );
  const means = new Map((trend.value ?? []).map((bucket) => [Date.parse(bucket.bucket), bucket]));
  const bars = Array.from({ length: range.bars }, (_, at) => Date.parse(from) + at * range.step);
  const show = (low: number, high: number): void =>
    goTo(hrefTo("traces", null, { score: `${name}>=${low}|${name}${high >= 1 ? "<=" : "<"}${high}` }));
  return (
    <article class="multiple">
      <header>
        <h2>{name.replaceAll("_", " ")}</h2>
        <b class="value">{two(summary.avg_score)}</b>
      </header>
      <p class="facts">
        <span>mean of {count(summary.success_count)}</span>
        <span>median {two(summary.median_score)}</span>
        <span>
          {two(summary.min_score)} to {two(summary.max_score)}
        </span>
        {summary.inapplicable_count > 0 && <span>{count(summary.inapplicable_count)} do not apply</span>}
        {summary.failed_count > 0 && <span class="bad">{count(summary.failed_count)} failed</span>}
        <Instant at={summary.latest_score_at} />
      </p>
      {(trend.error ?? spread.error) !== null && (
        <Trouble
          error={trend.error ?? spread.error}
          again={() => {
            trend.again();
            spread.again();
          }}
        />
      )}
      <Bars
        label={`${name}: the mean of each ${range.granularity}`}
        bars={bars.map((bucket) => {
          const known = means.get(bucket);
          const until = new Date(bucket + range.step).toISOString();
          const begin = new Date(bucket).toISOString();
          return {
            height: known?.avg_score ?? 0,
            title: `${when(begin)}: ${known === undefined ? "no score" : `${two(known.avg_score)}, ${plural(known.count, "score")}`}`,
            open: () => goTo(hrefTo("traces", null, { started_after: begin, started_before: until })),
          };
        })}
      />
      <Bars
        label={`${name}: how the values are spread`}
        bars={(spread.value ?? []).map(({ bucket_min: low, bucket_max: high, count: of }) => ({
          height: of / Math.max(1, ...(spread.value ?? []).map(({ count: each }) => each)),
          title: `${two(low)} to ${two(high)}: ${plural(of, "score")}`,
          open: () => show(low, high),
        }))}
      />
    </article>
  );
};

/** Is quality moving? */
export const MetricsPage = () => {
  const chosen = useSignal<keyof typeof ranges>("weeks");
  const range = ranges[chosen.value];
  const from = new Date(beginOf(range)).toISOString();
  const { value, error, again } = useLoad(
    (signal) => client.value.getTraceScoreSummary({ query: { date_from: from } }, { signal }),
    [from],
  );
  return (
    <main>
      <h1 class="unseen">Metrics</h1>
      <div class="switch" role="group" aria-label="Range">
        {(["days", "weeks", "quarter"] as const).map((each) => (
          <button type="button" aria-pressed={chosen.value === each} onClick={() => (chosen.value = each)}>
            {ranges[each].title}
          </button>
        ))}
      </div>
      {error !== null && <Trouble error={error} again={again} />}
      {value === null && error === null && <p class="faint">Loading …</p>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No score in this time.</p>
          <p>
            Select <a href={hrefTo("traces")}>traces</a> and choose Evaluate.
          </p>
        </div>
      )}
      <div class="multiples">
        {(value ?? []).map((summary) => (
          <Multiple key={summary.metric_name} summary={summary} range={range} from={from} />
        ))}
      </div>
    </main>
  );
};
