import type { CustomMetric } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { summariesOf, trendOf, type Kind } from "../trends/asked.ts";
import { beginOf, ranges } from "../trends/ranges.ts";
import { Trend } from "../trends/trend.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { hrefTo } from "../place.ts";
import { plural } from "../words.ts";

const range = ranges.days;

/** Versions that are shown beside each other: the newest ones. */
const most = 4;

const VersionTrend = ({
  name,
  version,
  of,
}: {
  readonly name: string;
  readonly version: number;
  readonly of: Kind;
}) => {
  const begin = beginOf(range, Date.now());
  const from = new Date(begin).toISOString();
  const { value, error, again } = useLoad(
    async (signal) => {
      const asked = { metric_name: name, metric_version: version };
      const [[summary], buckets] = await Promise.all([
        summariesOf(of, from, signal, asked),
        trendOf(of, name, from, range, signal, asked),
      ]);
      return { summary, buckets };
    },
    [name, version, of, from],
  );
  const label = `Version ${version}`;
  if (error !== null) return <Trouble error={error} again={again} />;
  if (value === null) return <Waiting>Loading its scores</Waiting>;
  const { summary, buckets } = value;
  return (
    <article class="multiple" aria-label={label}>
      <header>
        <h3>{label}</h3>
        {summary !== undefined && <b class="figure">{summary.avg_score?.toFixed(2) ?? "–"}</b>}
      </header>
      {summary === undefined ? (
        <p class="faint">It has scored nothing in the last {range.title}.</p>
      ) : (
        <>
          <p class="facts">
            <span>mean of {plural(summary.success_count, "score")}</span>
            {summary.inapplicable_count > 0 && <span>{summary.inapplicable_count} do not apply</span>}
            {summary.failed_count > 0 && <span class="bad">✕ {summary.failed_count} failed</span>}
          </p>
          <Trend
            name={label}
            buckets={buckets}
            range={range}
            begin={begin}
            least={0}
            most={1}
            hrefOf={(date_from, date_to) =>
              hrefTo("scores", null, { name, metric_version: String(version), date_from, date_to, of })
            }
          />
        </>
      )}
    </article>
  );
};

/** Is the newest version of a metric better than those before it? */
export const VersionTrends = ({
  metric: { name, target_type: target, versions },
}: {
  readonly metric: CustomMetric;
}) => (
  <section class="part" aria-label="How its versions score">
    <div class="multiples">
      {versions
        .slice(-most)
        .toReversed()
        .map(({ version }) => (
          <VersionTrend name={name} version={version} of={target === "TRACE" ? "traces" : "sessions"} key={version} />
        ))}
    </div>
  </section>
);
