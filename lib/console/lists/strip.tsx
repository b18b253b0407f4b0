import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { axisTime, count, duration, plural, shortTime } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { filterDefinitions, filterNames } from "../traces/trace-filters.ts";
import { axisInstants, barRangeOf } from "./bar-range.ts";
import type { ListKind, ListQuery } from "./list-kind.ts";

/** Returns the titles of filters that the bars cannot apply. A negated one selects sessions without a trace, which analytics do not count. */
const unknownFilters = <Item,>({ barFilters, search }: ListKind<Item>, filters: ListQuery): readonly string[] =>
  Object.entries(filters)
    .filter(([name, value]) => barFilters !== undefined && (value === false || !barFilters.has(name)))
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
  const { from, to, step, granularity } = useMemo(
    () => barRangeOf(filters, oldest.value?.at ?? null, Date.now()),
    [filterKey, oldest.value, Math.floor(Date.now() / 3_600_000)],
  );
  const drag = useSignal<readonly [number, number] | null>(null);
  const { value, error, reload } = useLoad(
    async (signal) =>
      oldest.value === null || !hasBars
        ? null
        : await kind.bars(
            otherFilters,
            {
              granularity,
              started_after: after ?? new Date(from).toISOString(),
              ...(before === undefined ? {} : { started_before: before }),
            },
            signal,
          ),
    [filterKey, from, oldest.value],
    30_000,
  );
  const bars = Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => ({
    at: from + at * step,
    values: value?.get(from + at * step) ?? { total: 0, failed: null, duration: null },
  }));
  const maxCount = Math.max(1, ...bars.map(({ values }) => values.total));
  const maxDuration = Math.max(1, ...bars.map(({ values }) => values.duration ?? 0));
  const applyDrag = (): void => {
    if (drag.value === null) return;
    const [from, to] = drag.value.toSorted((a, b) => a - b);
    drag.value = null;
    const [first, last] = [bars[from ?? 0], bars[to ?? 0]];
    if (first === undefined || last === undefined) return;
    updateQuery({
      range: null,
      started_after: new Date(first.at).toISOString(),
      started_before: new Date(last.at + step).toISOString(),
    });
  };
  const [low, high] = drag.value?.toSorted((a, b) => a - b) ?? [-1, -1];
  const line = bars
    .map(({ values }, at) =>
      values.duration === null ? "" : `${(at + 0.5) * 10},${40 - (values.duration / maxDuration) * 36}`,
    )
    .filter((point) => point !== "");
  const sumOf = (field: "total" | "failed"): number => bars.reduce((sum, { values }) => sum + (values[field] ?? 0), 0);
  const hasFailures = bars.some(({ values }) => values.failed !== null);
  const failures = (failed: number | null): string => (failed === null ? "" : `, ${count(failed)} failed`);
  if (!hasBars) return <p class="faint">The chart does not know these filters: {unknownTitles.join(", ")}.</p>;
  if (oldest.error !== null) return <ErrorAlert error={oldest.error} reload={oldest.reload} />;
  if (error !== null && value === null) return <ErrorAlert error={error} reload={reload} />;
  return (
    <figure class="strip" onPointerUp={applyDrag} onPointerLeave={() => (drag.value = null)}>
      <span class="axis-top faint" aria-hidden="true">
        {count(maxCount)}
      </span>
      <svg
        viewBox={`0 0 ${bars.length * 10} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(sumOf("total"), kind.barNoun)}${failures(hasFailures ? sumOf("failed") : null)}, from ${shortTime(from)} to ${shortTime(to)}`}
      >
        {bars.map(({ at, values: { total, failed, duration: time } }, index) => {
          const height = (total / maxCount) * 38;
          const failedHeight = ((failed ?? 0) / maxCount) * 38;
          return (
            <g
              class={index >= (low ?? -1) && index <= (high ?? -1) ? "chosen" : ""}
              onPointerDown={() => (drag.value = [index, index])}
              onPointerEnter={() => drag.value !== null && (drag.value = [drag.value[0], index])}
            >
              <title>
                {`${shortTime(at)}: ${plural(total, kind.barNoun)}${failures(failed)}, ${kind.durationTitle} ${duration(time)}`}
              </title>
              <rect class="back" x={index * 10} y={0} width={10} height={40} />
              <rect class="all" x={index * 10 + 1} y={40 - height} width={8} height={height} />
              <rect class="bad" x={index * 10 + 1} y={40 - failedHeight} width={8} height={failedHeight} />
            </g>
          );
        })}
        {line.length > 1 && <polyline class="slow" points={line.join(" ")} />}
      </svg>
      <div class="axis faint" aria-hidden="true">
        {axisInstants({ from, step }, bars.length, after).map((at) => (
          <span>{axisTime(at, bars.length * step)}</span>
        ))}
      </div>
      <figcaption class="faint">
        <span>
          <span class="key all" /> {kind.barNoun}s by {granularity}
          {hasFailures && (
            <>
              <span class="key bad" /> failed
            </>
          )}
          <span class="key slow" /> {kind.durationTitle}, max {duration(maxDuration === 1 ? null : maxDuration)}
        </span>
        {(before !== undefined || after !== undefined) && (
          <button
            type="button"
            class="quiet"
            onClick={() => updateQuery({ range: null, started_after: null, started_before: null })}
          >
            All time
          </button>
        )}
      </figcaption>
    </figure>
  );
};
