import { useMemo } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { count, duration, plural, shortTime } from "../format.ts";
import { Chart } from "../parts/chart.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { filterDefinitions, filterNames } from "../traces/trace-filters.ts";
import { listWindowOf } from "../parts/time-window.ts";
import type { BarValues, ListKind, ListQuery } from "./list-kind.ts";

/** Returns the titles of filters that the bars cannot apply. A negated one selects sessions without a trace, which analytics do not count. */
const unknownFilters = <Item,>(
  { barFilters, barNoun, search }: ListKind<Item>,
  filters: ListQuery,
): readonly string[] =>
  Object.entries(filters)
    .filter(
      ([name, value]) =>
        barFilters !== undefined && ((barNoun === "session" && value === false) || !barFilters.has(name)),
    )
    .map(([name]) => {
      const filter = filterNames.find((each) => each === name);
      return filter === undefined ? search.label.toLowerCase() : filterDefinitions[filter].title;
    });

/** Reads the start of the project's first trace in epoch milliseconds; null without traces. */
const readOldest = async (signal: AbortSignal): Promise<number | null> => {
  const query = { limit: 1, sort_by: "started_at", sort_order: "asc" } as const;
  const [first] = (await client.value.listTraces({ query }, { signal })).items;
  return first === undefined ? null : Date.parse(first.started_at);
};

type Points = readonly (BarValues | undefined)[];

const hasFailuresIn = (points: Points): boolean => points.some((point) => typeof point?.failed === "number");

/** Formats the numbers of items and of failed ones in a window: `12 traces, 1 failed, from 10:00 to 11:00`. */
const sumsText = (noun: string, points: Points, from: string, to: string): string => {
  const sumOf = (field: "total" | "failed"): number => points.reduce((sum, point) => sum + (point?.[field] ?? 0), 0);
  const failed = hasFailuresIn(points) ? `, ${count(sumOf("failed"))} failed` : "";
  return `${plural(sumOf("total"), noun)}${failed}, from ${shortTime(from)} to ${shortTime(to)}`;
};

/** Chart of the items of a list, of failed ones, and of their duration over the list's window; dragging over it filters by time. */
export const Strip = <Item,>({ kind, filters }: { readonly kind: ListKind<Item>; readonly filters: ListQuery }) => {
  const { started_after: after, started_before: before, ...otherFilters } = filters;
  const filterKey = JSON.stringify(filters);
  const hasStart = after !== undefined;
  const unknownTitles = unknownFilters(kind, filters);
  const hasBars = unknownTitles.length === 0;
  const oldest = useLoad(
    async (signal) => ({ at: hasStart || !hasBars ? null : await readOldest(signal) }),
    [hasStart, hasBars],
  );
  // The range moves with the hour, not with each render.
  const {
    started_after: from,
    started_before: to,
    step,
    times,
    granularity,
  } = useMemo(
    () => listWindowOf(filters, oldest.value?.at ?? null, Date.now()),
    [filterKey, oldest.value, Math.floor(Date.now() / 3_600_000)],
  );
  const { value, error, reload } = useLoad(
    async (signal) =>
      oldest.value === null || !hasBars
        ? null
        : await kind.bars(
            otherFilters,
            {
              granularity,
              started_after: after ?? new Date(times[0] ?? 0).toISOString(),
              ...(before === undefined ? {} : { started_before: before }),
            },
            signal,
          ),
    [filterKey, from, oldest.value],
    30_000,
  );
  const points = times.map((time) => value?.get(time));
  const hasFailures = hasFailuresIn(points);
  const durations = points.flatMap((point) => point?.duration ?? []);
  const maxDuration = durations.length === 0 ? null : Math.max(...durations);
  if (!hasBars) return <p class="faint">The chart does not know these filters: {unknownTitles.join(", ")}.</p>;
  if (oldest.error !== null) return <ErrorAlert error={oldest.error} reload={oldest.reload} />;
  if (error !== null && value === null) return <ErrorAlert error={error} reload={reload} />;
  return (
    <Chart
      title={`${kind.barNoun}s by ${granularity}`}
      description={value === null ? "Loading …" : sumsText(kind.barNoun, points, from, to)}
      class="strip"
      times={times}
      step={step}
      points={points}
      range={[0, 1]}
      hrefOf={(started_after, started_before) => {
        const { page, id, query } = route.value;
        return hrefTo(page, id, { ...query, range: null, started_after, started_before });
      }}
      series={[
        {
          title: `${kind.barNoun}s by ${granularity}`,
          kind: "bars",
          tone: "bar",
          format: count,
          valueOf: ({ total }) => total,
        },
        ...(hasFailures
          ? [
              {
                title: "failed",
                kind: "bars",
                tone: "bad",
                format: count,
                valueOf: ({ failed }: BarValues) => failed,
              } as const,
            ]
          : []),
        {
          title: kind.durationTitle,
          legend: `${kind.durationTitle}, max ${duration(maxDuration)}`,
          kind: null,
          tone: "fair",
          hasOwnScale: true,
          format: duration,
          valueOf: ({ duration: time }) => time,
        },
      ]}
    >
      {(before !== undefined || after !== undefined) && (
        <button
          type="button"
          class="quiet"
          onClick={() => updateQuery({ range: null, started_after: null, started_before: null })}
        >
          All time
        </button>
      )}
    </Chart>
  );
};
