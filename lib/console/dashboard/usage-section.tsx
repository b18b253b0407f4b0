import type { ModelUsage } from "../../client/interface.ts";
import { count, dollars, duration, percent, plural } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { Skeleton } from "../display/skeleton.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo } from "../route.ts";
import { DataTable } from "../parts/wide-table.tsx";
import { DashboardChart } from "./dashboard-chart.tsx";
import { loadUsage, type Usage } from "./figures.ts";
import type { TimeWindow } from "../parts/time-window.ts";
import { UsageGroups } from "./usage-groups.tsx";
import { useWindowLoad } from "./use-window-load.ts";

/** Milliseconds between reloads. */
const reloadInterval = 60_000;

/** Figures of the whole window: title, text, exact value, and the link of the traces behind it. */
const Totals = ({
  usage: { traces, usage },
  window: { started_after, started_before },
  isStale,
}: {
  readonly usage: Usage;
  readonly window: TimeWindow;
  readonly isStale: boolean;
}) => {
  const all = { started_after, started_before };
  const [traceCount, failed] = [traces?.trace_count ?? 0, traces?.error_count ?? 0];
  const figures: readonly (readonly [title: string, text: string, exact: number | null, href: string | null])[] = [
    [
      "Cost",
      dollars(usage?.total_cost ?? 0),
      usage?.total_cost ?? 0,
      hrefTo("traces", null, { ...all, sort_by: "cost" }),
    ],
    ["Tokens", count(usage?.total_tokens ?? 0), usage?.total_tokens ?? 0, null],
    ["Traces", count(traceCount), traceCount, hrefTo("traces", null, all)],
    [
      "Failed",
      `${count(failed)} (${percent(failed, traceCount)})`,
      failed,
      hrefTo("traces", null, { ...all, status: "ERROR" }),
    ],
    ["Latency, median", duration(traces?.p50_latency_ms ?? null), traces?.p50_latency_ms ?? null, null],
    [
      "Latency, p95",
      duration(traces?.p95_latency_ms ?? null),
      traces?.p95_latency_ms ?? null,
      hrefTo("traces", null, { ...all, sort_by: "latency" }),
    ],
  ];
  return (
    <>
      <p class="answer" role="status">
        {failed === 0 ? "No trace failed" : `${count(failed)} of ${plural(traceCount, "trace")} failed`}
        {traceCount > 0 && `, half took ${duration(traces?.p50_latency_ms ?? null)} or less`}
        {`, and all cost ${dollars(usage?.total_cost ?? 0)}.`}
      </p>
      <dl class="totals" aria-busy={isStale}>
        {figures.map(([title, text, exact, href]) => (
          <div key={title}>
            <dt class="faint">{title}</dt>
            <dd class="figure" title={exact === null ? "" : String(exact)}>
              {href === null ? text : <a href={href}>{text}</a>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
};

const Models = ({
  models,
  window: { started_after, started_before },
}: {
  readonly models: readonly ModelUsage[];
  readonly window: TimeWindow;
}) => (
  <article class="multiple broad">
    <h2>Models</h2>
    {models.length === 0 ? (
      <p class="faint">No span names a model.</p>
    ) : (
      <DataTable
        label="Models"
        rows={models.toSorted((a, b) => b.total_cost - a.total_cost)}
        columns={[
          [
            "model",
            ({ model }) => (
              <a dir="auto" href={hrefTo("traces", null, { model, started_after, started_before })}>
                {model}
              </a>
            ),
          ],
          ["calls", ({ call_count: calls }) => <span title={String(calls)}>{count(calls)}</span>],
          ["tokens", ({ total_tokens: tokens }) => <span title={String(tokens)}>{count(tokens)}</span>],
          ["cost", ({ total_cost: cost }) => <span title={String(cost)}>{dollars(cost)}</span>],
        ]}
      />
    )}
    {models.length === 10 && <p class="faint">The ten with the most calls.</p>}
  </article>
);

/** Most bars of one bucket each. */
const maxBars = 100;

/** Returns a function that adds up a figure of a bar's buckets; null without one. */
const sumOf =
  <Name extends string>(name: Name) =>
  (buckets: readonly Readonly<Record<Name, number>>[]): number | null =>
    buckets.length === 0 ? null : buckets.reduce((sum, { [name]: value }) => sum + value, 0);

const Charts = ({ usage, window: { times, step } }: { readonly usage: Usage; readonly window: TimeWindow }) => {
  const { traceBuckets, usageBuckets } = usage;
  // Bars of an hour are too thin to be read over days.
  const perBar = times.length > maxBars ? 6 : 1;
  const barTimes = times.filter((_, at) => at % perBar === 0);
  const hrefOf = (started_after: string, started_before: string) =>
    hrefTo("traces", null, { started_after, started_before });
  const common = { times, step, hrefOf, range: [0, 0] } as const;
  const bars = { ...common, times: barTimes, step: step * perBar };
  const pointsOf = <Bucket,>(buckets: ReadonlyMap<number, Bucket>): readonly (readonly Bucket[])[] =>
    barTimes.map((time) =>
      Array.from({ length: perBar }, (_, at) => buckets.get(time + at * step)).filter((bucket) => bucket !== undefined),
    );
  const ofUsage = { ...bars, points: pointsOf(usageBuckets) };
  const ofTraces = { ...common, points: times.map((time) => traceBuckets.get(time)) };
  return (
    <>
      <DashboardChart
        {...ofUsage}
        title="Cost"
        series={[{ title: "cost", kind: "bars", tone: "link", format: dollars, valueOf: sumOf("total_cost") }]}
      />
      <DashboardChart
        {...ofUsage}
        title="Tokens"
        series={[
          { title: "tokens", kind: "bars", tone: "bar", format: count, valueOf: sumOf("total_tokens") },
          {
            title: "of which completion",
            kind: "bars",
            tone: "link",
            format: count,
            valueOf: sumOf("completion_tokens"),
          },
        ]}
      />
      <DashboardChart
        {...bars}
        points={pointsOf(traceBuckets)}
        title="Traces and failures"
        series={[
          { title: "traces", kind: "bars", tone: "bar", format: count, valueOf: sumOf("trace_count") },
          { title: "failed", kind: "bars", tone: "bad", format: count, valueOf: sumOf("error_count") },
        ]}
      />
      <DashboardChart
        {...ofTraces}
        title="Latency"
        series={[
          { title: "median", kind: "line", tone: "link", format: duration, valueOf: (bucket) => bucket.p50_latency_ms },
          { title: "p95", kind: "dashed", tone: "fair", format: duration, valueOf: (bucket) => bucket.p95_latency_ms },
        ]}
      />
    </>
  );
};

/** Cost, tokens, failures and latency of a window, as totals, over time and by model. */
export const UsageSection = ({ window }: { readonly window: TimeWindow }) => {
  const {
    value: result,
    isStale,
    error,
    reload,
  } = useWindowLoad(loadUsage, window, [window.started_after, window.started_before], reloadInterval);
  if (result === null)
    return error === null ? (
      <>
        <LoadingNote>Loading figures</LoadingNote>
        <Skeleton height={560} />
      </>
    ) : (
      <ErrorAlert error={error} reload={reload} />
    );
  const { value, dependencies: shownWindow } = result;
  const isEmpty = value.traces === null && value.usage === null;
  return (
    <>
      <ErrorAlert error={error} reload={reload} />
      <Totals usage={value} window={shownWindow} isStale={isStale} />
      {isEmpty ? (
        <div class="empty">
          <p>No traces in this window.</p>
          <a class="button" href={hrefTo("start")}>
            Send traces
          </a>
        </div>
      ) : (
        <div class="multiples" aria-busy={isStale}>
          <Charts usage={value} window={shownWindow} />
          <Models models={value.models} window={shownWindow} />
          <UsageGroups window={shownWindow} traceCount={value.traces?.trace_count ?? 0} />
        </div>
      )}
    </>
  );
};
