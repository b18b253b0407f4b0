import type { CustomMetric } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { getSummaries, getTrend, type TargetKind } from "../trends/score-queries.ts";
import { rollingWindow, trendRanges } from "../parts/time-window.ts";
import { RuleBasedNote } from "../trends/group-table.tsx";
import { TrendChart } from "../trends/trend-chart.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo } from "../route.ts";
import { plural } from "../format.ts";

const range = trendRanges.days;

/** Max versions of a metric shown side by side, the newest ones. */
const maxVersions = 4;

const VersionTrend = ({
  name,
  version,
  targetKind,
}: {
  readonly name: string;
  readonly version: number;
  readonly targetKind: TargetKind;
}) => {
  const window = rollingWindow(range, Date.now());
  const { started_after: from } = window;
  const { value, error, reload } = useLoad(
    async (signal) => {
      const versionFilter = { metric_name: name, metric_version: version };
      const [[summary], buckets] = await Promise.all([
        getSummaries(targetKind, from, signal, versionFilter),
        getTrend(targetKind, name, window, signal, versionFilter),
      ]);
      return { summary, buckets };
    },
    [name, version, targetKind, from],
  );
  const label = `Version ${version}`;
  if (error !== null) return <ErrorAlert error={error} reload={reload} />;
  if (value === null) return <LoadingNote>Loading scores</LoadingNote>;
  const { summary, buckets } = value;
  return (
    <article class="multiple" aria-label={label}>
      <header>
        <h3>{label}</h3>
        {summary !== undefined && <b class="figure">{summary.avg_score?.toFixed(2) ?? "–"}</b>}
      </header>
      {summary === undefined ? (
        <p class="faint">No scores in the last {range.title}.</p>
      ) : (
        <>
          <p class="facts">
            <span>mean of {plural(summary.success_count, "score")}</span>
            <RuleBasedNote scores={summary} />
            {summary.inapplicable_count > 0 && <span>{summary.inapplicable_count} not applicable</span>}
            {summary.failed_count > 0 && <span class="bad">✕ {summary.failed_count} failed</span>}
          </p>
          <TrendChart
            name={label}
            buckets={buckets}
            window={window}
            hrefOf={(date_from, date_to) =>
              hrefTo("scores", null, { name, metric_version: String(version), date_from, date_to, of: targetKind })
            }
          />
        </>
      )}
    </article>
  );
};

/** Trends of a metric's newest versions, for comparison. */
export const VersionTrends = ({
  metric: { name, target_type: target, versions },
}: {
  readonly metric: CustomMetric;
}) => (
  <section class="part" aria-label="Scores by version">
    <div class="multiples">
      {versions
        .slice(-maxVersions)
        .toReversed()
        .map(({ version }) => (
          <VersionTrend
            name={name}
            version={version}
            targetKind={target === "TRACE" ? "traces" : "sessions"}
            key={version}
          />
        ))}
    </div>
  </section>
);
