import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TraceListItem } from "../../client/interface.ts";
import { EvaluateDialog } from "../runs/evaluate-dialog.tsx";
import { FilterBar } from "../traces/filter-bar.tsx";
import { NoTraces } from "../traces/no-traces.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { SelectionBar } from "../runs/selection-bar.tsx";
import { VolumeChart } from "../traces/volume-chart.tsx";
import { TraceRow, TraceRowHead } from "../traces/trace-row.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { usePolling } from "../use-polling.ts";
import { useShortcuts } from "../shortcuts.ts";
import { listPosition } from "../traces/list-position.ts";
import { usePagedList } from "../use-paged-list.ts";
import { navigate, hrefTo, route } from "../route.ts";
import { parseFilters } from "../traces/trace-filters.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { plural } from "../format.ts";

const rowHeight = 52;

/** Milliseconds between reloads while the project has no traces. */
const pollInterval = 3_000;

/** Page with the list of traces, its filters, and the chart of their number over time. */
export const TracesPage = () => {
  const filters = parseFilters(route.value.query);
  const key = JSON.stringify(filters);
  const list = usePagedList<TraceListItem>(
    (paging, signal) =>
      client.value.listTraces({ query: { ...filters, include: ["scores", "preview"], ...paging } }, { signal }),
    key,
    signOutIfUnauthorized,
  );
  const { total, at, error, isLoading, reload } = list;
  const activeIndex = useSignal(listPosition.peek()?.key === key ? (listPosition.peek()?.index ?? 0) : 0);
  const [selection, isOpen] = [useSignal<ReadonlyMap<string, TraceListItem>>(new Map()), useSignal(false)];
  const previousKey = useRef(key);
  useEffect(() => {
    if (previousKey.current === key) return;
    previousKey.current = key;
    [activeIndex.value, selection.value] = [0, new Map()];
  }, [key]);
  /** Index of the last selected row, from which a selection with Shift extends. */
  const rangeStart = useRef(0);
  const select = (index: number, isRange: boolean): void => {
    const next = new Map(selection.value);
    const [from, to] = isRange ? [rangeStart.current, index].toSorted((a, b) => a - b) : [index, index];
    for (let each = from ?? 0; each <= (to ?? 0); each += 1) {
      const trace = at(each);
      if (trace !== undefined && (isRange || !next.delete(trace.trace_id))) next.set(trace.trace_id, trace);
    }
    [selection.value, rangeStart.current] = [next, index];
  };
  const searchRef = useRef<HTMLInputElement>(null);
  const current = at(activeIndex.value);
  const open = (trace: TraceListItem, index: number): void => {
    // The trace page steps through this list.
    listPosition.value = { key, index, total: total ?? 0, at };
    navigate(hrefTo("traces", trace.trace_id, route.value.query));
  };
  const lastIndex = Math.max(0, (total ?? 1) - 1);
  const down = (): unknown => (activeIndex.value = Math.min(activeIndex.value + 1, lastIndex));
  const up = (): unknown => (activeIndex.value = Math.max(activeIndex.value - 1, 0));
  useShortcuts({
    j: [down, "next trace"],
    k: [up, "previous trace"],
    ArrowDown: [down, "next trace"],
    ArrowUp: [up, "previous trace"],
    Enter: [() => current !== undefined && open(current, activeIndex.value), "open"],
    x: [() => select(activeIndex.value, false), "select"],
    X: [() => select(activeIndex.value, true), "select a range"],
    "/": [() => searchRef.current?.focus(), "search"],
    f: [() => document.querySelector<HTMLButtonElement>(".filters .chip")?.click(), "failed only"],
    e: [
      () => document.querySelector<HTMLButtonElement>(".selection .main, .said .evaluate-all")?.click(),
      "evaluate",
      true,
    ],
  });
  // The first trace of a project appears without a reload of the page.
  const isUnfiltered = Object.keys(filters).length === 0;
  usePolling(reload, total === 0 && isUnfiltered, pollInterval);
  return (
    <main class="traces">
      <h1 class="unseen">Traces</h1>
      <VolumeChart filters={filters} />
      <FilterBar searchRef={searchRef} />
      <div class="said">
        {total === null ? (
          error === null && <LoadingNote>Loading traces</LoadingNote>
        ) : (
          <span aria-live="polite">
            <b>{plural(total, "trace")}</b>
          </span>
        )}
        {isLoading && total !== null && <span class="faint">loading …</span>}
        {total !== null && total > 0 && selection.value.size === 0 && (
          <button type="button" class="quiet evaluate-all" onClick={() => (isOpen.value = true)}>
            Evaluate all …
          </button>
        )}
      </div>
      {selection.value.size > 0 && <SelectionBar selection={selection} onChange={reload} />}
      <ErrorAlert error={error} reload={reload} />
      {total === 0 && error === null && <NoTraces isFiltered={!isUnfiltered} />}
      <PagedRows
        list={list}
        height={rowHeight}
        label="Traces"
        rowInView={activeIndex.value}
        active={current === undefined ? undefined : `trace-${current.trace_id}`}
        head={<TraceRowHead />}
        row={(trace, index) => (
          <TraceRow
            key={trace.trace_id}
            trace={trace}
            index={index}
            isActive={index === activeIndex.value}
            isSelected={selection.value.has(trace.trace_id)}
            onSelect={(isRange) => select(index, isRange)}
            onOpen={() => open(trace, index)}
          />
        )}
      />
      {isOpen.value && <EvaluateDialog targets={{ kind: "matching" }} onClose={() => (isOpen.value = false)} />}
    </main>
  );
};
