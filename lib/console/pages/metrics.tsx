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

const ranges = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;

const two = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

const Multiple = ({ summary, from }: { readonly summary: ScoreSummary; readonly from: string }) => {
  const { metric_name: name } = summary;
  const trend = useLoad(
    (signal) =>
      client.value.getTraceScoreTrend(
        { query: { metric_name: name, date_from: from, granularity: "day" } },
        { signal },
      ),
    [name, from],
  );
  const spread = useLoad(
    (signal) => client.value.getTraceScoreDistribution({ query: { metric_name: name, date_from: from } }, { signal }),
    [name, from],
  );
  const means = new Map((trend.value ?? []).map((bucket) => [Date.parse(bucket.bucket), bucket]));
  const first = Date.parse(from);
  const days = Array.from({ length: Math.floor((Date.now() - first) / day) + 1 }, (_, at) => first + at * day);
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
        label={`${name}: the mean of each day`}
        bars={days.map((bucket) => {
          const known = means.get(bucket);
          const until = new Date(bucket + day).toISOString();
          const from = new Date(bucket).toISOString();
          return {
            height: known?.avg_score ?? 0,
            title: `${when(from)}: ${known === undefined ? "no score" : `${two(known.avg_score)}, ${plural(known.count, "score")}`}`,
            open: () => goTo(hrefTo("traces", null, { started_after: from, started_before: until })),
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
  const days = useSignal<keyof typeof ranges>("30");
  const from = new Date(Math.floor(Date.now() / day) * day - (Number(days.value) - 1) * day).toISOString();
  const { value, error, again } = useLoad(
    (signal) => client.value.getTraceScoreSummary({ query: { date_from: from } }, { signal }),
    [from],
  );
  return (
    <main>
      <h1 class="unseen">Metrics</h1>
      <div class="switch" role="group" aria-label="Range">
        {(["7", "30", "90"] as const).map((each) => (
          <button type="button" aria-pressed={days.value === each} onClick={() => (days.value = each)}>
            {ranges[each]}
          </button>
        ))}
      </div>
      {error !== null && <Trouble error={error} again={again} />}
      {value === null && error === null && <p class="faint">Loading …</p>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No score in these days.</p>
          <p>
            Select <a href={hrefTo("traces")}>traces</a> and choose Evaluate.
          </p>
        </div>
      )}
      <div class="multiples">
        {(value ?? []).map((summary) => (
          <Multiple key={summary.metric_name} summary={summary} from={from} />
        ))}
      </div>
    </main>
  );
};
