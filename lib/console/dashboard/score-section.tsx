import type { ScoreSummary } from "../../client/interface.ts";
import { count } from "../format.ts";
import { Switch } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { CorrectedBadge, correctedTitle } from "../trends/corrected-badge.tsx";
import { GroupTable, RuleBasedNote } from "../trends/group-table.tsx";
import { dimensions } from "../trends/groups.ts";
import { estimateText, passRateText } from "../trends/interval-bar.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { DashboardChart } from "./dashboard-chart.tsx";
import type { TimeWindow } from "../parts/time-window.ts";
import { useWindowLoad } from "./use-window-load.ts";

/** Dimensions of the table of groups, by their name in the API. */
const groupings = { trace_name: "agent", release: "release", model: "model" } as const;

const groupingTitles = { trace_name: "By agent", release: "By release", model: "By model" } as const;

type Grouping = keyof typeof groupings;

const groupingOf = ({ by }: Readonly<Record<string, string>>): Grouping =>
  by === "release" || by === "model" ? by : "trace_name";

const twoDigits = (value: number): string => value.toFixed(2);

type WindowBounds = Pick<TimeWindow, "started_after" | "started_before">;

const windowQuery = ({ started_after, started_before }: WindowBounds) => ({ started_after, started_before });

const windowKey = ({ started_after, started_before }: WindowBounds) => [started_after, started_before] as const;

/** Figures of each metric with their intervals, and a choice of the metric that is shown in detail. */
const Metrics = ({ summaries, metric }: { readonly summaries: readonly ScoreSummary[]; readonly metric: string }) => (
  <article class="multiple broad">
    <h2>Scores</h2>
    <DataTable
      label="Scores by metric"
      rows={summaries}
      columns={[
        [
          "metric",
          (summary) => (
            <>
              <button
                type="button"
                aria-pressed={summary.metric_name === metric}
                onClick={() => updateQuery({ metric: summary.metric_name })}
              >
                <span dir="auto">{summary.metric_name.replaceAll("_", " ")}</span>
              </button>{" "}
              <RuleBasedNote scores={summary} />
            </>
          ),
        ],
        ["n", ({ mean }) => count(mean?.count ?? 0)],
        ["mean (95 %)", ({ mean }) => (mean === undefined ? "–" : estimateText(mean))],
        ["pass rate (95 %)", (summary) => passRateText(summary)],
        [correctedTitle, ({ corrected }) => <CorrectedBadge corrected={corrected} />],
        ["not judged", ({ failed_count: failed }) => <span class={failed > 0 ? "bad" : ""}>{count(failed)}</span>],
      ]}
    />
    <p class="faint">The newest score of each trace that started in the window, with 95 % intervals.</p>
  </article>
);

/** Mean of a metric over time with its interval. */
const Trend = (props: { readonly metric: string; readonly window: TimeWindow }) => {
  const {
    value: result,
    error,
    reload,
  } = useWindowLoad(
    ({ metric: metric_name, window }, signal) => {
      const query = { metric_name, granularity: window.granularity, ...windowQuery(window) };
      return client.value.getTraceScoreTrend({ query }, { signal });
    },
    props,
    [props.metric, ...windowKey(props.window)],
  );
  const { metric, window } = result?.dependencies ?? props;
  const means = new Map((result?.value ?? []).map(({ bucket, mean }) => [Date.parse(bucket), mean]));
  // Traces may be judged after the window.
  const times = [...new Set([...window.times, ...means.keys()])].toSorted((a, b) => a - b);
  const band = { kind: "edge", tone: "band", legend: "95 % interval", format: twoDigits } as const;
  return (
    <>
      <ErrorAlert error={error} reload={reload} />
      {means.size > 0 && (
        <DashboardChart
          title={`${metric.replaceAll("_", " ")}, by time of judgement`}
          times={times}
          step={window.step}
          range={[0, 1]}
          hrefOf={(date_from, date_to) => hrefTo("scores", null, { name: metric, date_from, date_to })}
          points={times.map((time) => means.get(time))}
          series={[
            { ...band, title: "95 % to", valueOf: (mean) => mean.interval?.upper ?? null },
            { ...band, title: "95 % from", valueOf: (mean) => mean.interval?.lower ?? null },
            { title: "mean", kind: "line", tone: "link", format: twoDigits, valueOf: (mean) => mean.value },
            { title: "n", kind: null, tone: "bar", format: count, valueOf: (mean) => mean.count },
          ]}
        />
      )}
    </>
  );
};

/** Scores of a metric by agent, release or model. */
const Groups = (props: { readonly metric: string; readonly grouping: Grouping; readonly window: TimeWindow }) => {
  const {
    value: result,
    error,
    reload,
  } = useWindowLoad(
    ({ metric: metric_name, grouping: by, window: { granularity, ...bounds } }, signal) => {
      const query = { metric_name, group_by: [by], ...windowQuery(bounds) };
      return Promise.all([
        client.value.getTraceScoreSummary({ query: { ...query, corrected: true } }, { signal }),
        client.value.getTraceScoreTrend({ query: { ...query, granularity } }, { signal }),
      ]);
    },
    props,
    [props.metric, props.grouping, ...windowKey(props.window)],
  );
  const { metric, grouping, window } = result?.dependencies ?? props;
  const [groups, trends] = result?.value ?? [];
  return (
    <article class="multiple full">
      <header>
        <h2 dir="auto">
          {metric.replaceAll("_", " ")} by {groupings[grouping]}
        </h2>
        <Switch
          label="Group scores by"
          value={props.grouping}
          options={groupingTitles}
          onSelect={(by) => updateQuery({ by })}
        />
      </header>
      <ErrorAlert error={error} reload={reload} />
      {groups === undefined && error === null && <LoadingNote>Loading groups</LoadingNote>}
      {groups !== undefined && trends !== undefined && (
        <GroupTable
          name={metric}
          groups={groups}
          trends={trends}
          dimension={grouping}
          from={window.started_after}
          hrefOf={(group) =>
            hrefTo("traces", null, { ...dimensions[grouping].filtersOf(group), ...windowQuery(window) })
          }
        />
      )}
    </article>
  );
};

/** Scores of the traces of a window with their intervals: by metric, over time, and by agent, release or model. */
export const ScoreSection = ({ window }: { readonly window: TimeWindow }) => {
  const { query } = route.value;
  const {
    value: result,
    isStale,
    error,
    reload,
  } = useWindowLoad(
    (bounds, signal) =>
      client.value.getTraceScoreSummary({ query: { ...windowQuery(bounds), corrected: true } }, { signal }),
    window,
    windowKey(window),
  );
  if (result === null)
    return error === null ? <LoadingNote>Loading scores</LoadingNote> : <ErrorAlert error={error} reload={reload} />;
  const { value } = result;
  const numeric = value.filter(({ mean }) => (mean?.count ?? 0) > 0);
  const [largest] = numeric.toSorted((a, b) => (b.mean?.count ?? 0) - (a.mean?.count ?? 0));
  const metric = numeric.find(({ metric_name: name }) => name === query["metric"]) ?? largest;
  if (metric === undefined)
    return (
      <div class="empty">
        <p>No scores of the traces in this window.</p>
        <a class="button" href={hrefTo("traces")}>
          Choose traces
        </a>
      </div>
    );
  const { metric_name: name } = metric;
  return (
    <div class="multiples" aria-busy={isStale}>
      <Metrics summaries={value} metric={name} />
      <Trend metric={name} window={window} />
      <Groups metric={name} grouping={groupingOf(query)} window={window} />
    </div>
  );
};
