import { useSignal } from "@preact/signals";
import type { Operations, TraceBucket } from "../../client/interface.ts";
import { useMemo } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { count, duration, plural, shortTime } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";

type TraceQuery = Operations["listTraces"]["query"];

const [hour, day] = [3_600_000, 86_400_000];

/** Max bars in the chart. */
const maxBars = 60;

/** Time range of the chart; times and the step, one bar, in milliseconds. */
interface BarRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly granularity: "hour" | "day";
}

/** Returns the time range of the filters in whole hours or days, by default the last 60 hours. */
const barRangeOf = ({ started_after: after, started_before: before }: TraceQuery): BarRange => {
  const to = before === undefined ? Date.now() : Date.parse(before);
  const from = after === undefined ? to - maxBars * hour : Date.parse(after);
  const step = to - from <= maxBars * hour ? hour : day;
  const begin = Math.floor(from / step) * step;
  return {
    from: Math.max(begin, Math.ceil(to / step) * step - maxBars * step),
    to,
    step,
    granularity: step === hour ? "hour" : "day",
  };
};

const isTraceBucket = (bucket: object): bucket is TraceBucket => "trace_count" in bucket && "error_count" in bucket;

/** Chart of trace count, failures and p90 duration per hour or day; dragging over it filters by time. */
export const VolumeChart = ({ filters }: { readonly filters: TraceQuery }) => {
  const { started_before: before } = filters;
  const { sort_by: _, ...unsortedFilters } = filters;
  const filterKey = JSON.stringify(unsortedFilters);
  // The range moves with the hour, not with each render.
  const { from, to, step, granularity } = useMemo(
    () => barRangeOf(filters),
    [filterKey, Math.floor(Date.now() / hour)],
  );
  const drag = useSignal<readonly [number, number] | null>(null);
  const { value, error, reload } = useLoad(
    (signal) =>
      client.value.getTraceAnalytics(
        {
          query: {
            ...unsortedFilters,
            metric: "latency",
            granularity,
            started_after: new Date(from).toISOString(),
            ...(before === undefined ? {} : { started_before: before }),
          },
        },
        { signal },
      ),
    [filterKey, from],
    30_000,
  );
  const bucketsByTime = new Map(
    (value ?? []).flatMap((bucket) => (isTraceBucket(bucket) ? [[Date.parse(bucket.bucket), bucket] as const] : [])),
  );
  const bars = Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => ({
    at: from + at * step,
    bucket: bucketsByTime.get(from + at * step),
  }));
  const maxCount = Math.max(1, ...bars.map(({ bucket }) => bucket?.trace_count ?? 0));
  const maxP90 = Math.max(1, ...bars.map(({ bucket }) => bucket?.p90_latency_ms ?? 0));
  const applyDrag = (): void => {
    if (drag.value === null) return;
    const [from, to] = drag.value.toSorted((a, b) => a - b);
    drag.value = null;
    const [first, last] = [bars[from ?? 0], bars[to ?? 0]];
    if (first === undefined || last === undefined) return;
    updateQuery({
      started_after: new Date(first.at).toISOString(),
      started_before: new Date(last.at + step).toISOString(),
    });
  };
  const [low, high] = drag.value?.toSorted((a, b) => a - b) ?? [-1, -1];
  const line = bars
    .map(({ bucket }, at) => {
      const p90 = bucket?.p90_latency_ms;
      return p90 === null || p90 === undefined ? "" : `${(at + 0.5) * 10},${40 - (p90 / maxP90) * 36}`;
    })
    .filter((point) => point !== "");
  const traceCount = bars.reduce((sum, { bucket }) => sum + (bucket?.trace_count ?? 0), 0);
  const failedCount = bars.reduce((sum, { bucket }) => sum + (bucket?.error_count ?? 0), 0);
  if (error !== null && value === null) return <ErrorAlert error={error} reload={reload} />;
  return (
    <figure class="strip" onPointerUp={applyDrag} onPointerLeave={() => (drag.value = null)}>
      <svg
        viewBox={`0 0 ${bars.length * 10} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(traceCount, "trace")}, ${count(failedCount)} failed, from ${shortTime(from)} to ${shortTime(to)}`}
      >
        {bars.map(({ at, bucket }, index) => {
          const traceHeight = ((bucket?.trace_count ?? 0) / maxCount) * 38;
          const failedHeight = ((bucket?.error_count ?? 0) / maxCount) * 38;
          return (
            <g
              class={index >= (low ?? -1) && index <= (high ?? -1) ? "chosen" : ""}
              onPointerDown={() => (drag.value = [index, index])}
              onPointerEnter={() => drag.value !== null && (drag.value = [drag.value[0], index])}
            >
              <title>
                {`${shortTime(at)}: ${plural(bucket?.trace_count ?? 0, "trace")}, ${count(bucket?.error_count ?? 0)} failed, p90 ${duration(bucket?.p90_latency_ms ?? null)}`}
              </title>
              <rect class="back" x={index * 10} y={0} width={10} height={40} />
              <rect class="all" x={index * 10 + 1} y={40 - traceHeight} width={8} height={traceHeight} />
              <rect class="bad" x={index * 10 + 1} y={40 - failedHeight} width={8} height={failedHeight} />
            </g>
          );
        })}
        {line.length > 1 && <polyline class="slow" points={line.join(" ")} />}
      </svg>
      <figcaption class="faint">
        <span>{shortTime(from)}</span>
        <span>
          <span class="key all" /> traces <span class="key bad" /> failed <span class="key slow" /> p90 duration, max{" "}
          {duration(maxP90 === 1 ? null : maxP90)}
        </span>
        <span>
          {before === undefined ? "now" : shortTime(before)}
          {(before !== undefined || filters.started_after !== undefined) && (
            <button
              type="button"
              class="quiet"
              onClick={() => updateQuery({ started_after: null, started_before: null })}
            >
              All time
            </button>
          )}
        </span>
      </figcaption>
    </figure>
  );
};
