import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TraceListItem } from "../../client/interface.ts";
import { Filters } from "../parts/filters.tsx";
import { Instant } from "../parts/instant.tsx";
import { ScoreChips } from "../parts/score-chips.tsx";
import { Rows } from "../parts/rows.tsx";
import { Status } from "../parts/status.tsx";
import { Strip } from "../parts/strip.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { NoTraces } from "../parts/no-traces.tsx";
import { useKeys } from "../keys.ts";
import { usePages } from "../pages-of-list.ts";
import { goTo, hrefTo, place } from "../place.ts";
import { filtersIn } from "../trace-filters.ts";
import { client, notice } from "../sign-in.ts";
import { Selection } from "../parts/selection.tsx";
import { count, dollars, duration, plural } from "../words.ts";

const height = 40;

const Row = ({
  trace,
  isOn,
  isChosen,
  choose,
}: {
  readonly trace: TraceListItem;
  readonly isOn: boolean;
  readonly isChosen: boolean;
  readonly choose: () => void;
}) => (
  <div class={`row trace-row${isOn ? " on" : ""}`} role="row" aria-selected={isChosen}>
    <span role="gridcell">
      <input type="checkbox" checked={isChosen} onChange={choose} aria-label={`Select ${trace.name}`} tabIndex={-1} />
    </span>
    <span role="gridcell">
      <Status of={trace.status} isShort />
    </span>
    <span role="gridcell" class="name">
      <a href={hrefTo("traces", trace.trace_id, place.value.query)} tabIndex={-1} dir="auto">
        {trace.name}
      </a>
      <span class="tags">
        {trace.tags.slice(0, 3).map((tag) => (
          <span class="tag" dir="auto">
            {tag}
          </span>
        ))}
        {trace.tags.length > 3 && <span class="tag">+{trace.tags.length - 3}</span>}
      </span>
    </span>
    <span role="gridcell" class="wide">
      <ScoreChips scores={trace.scores ?? []} />
    </span>
    <span role="gridcell" class="number wide">
      {plural(trace.span_count, "span")}
    </span>
    <span role="gridcell" class="number">
      {duration(trace.latency_ms)}
    </span>
    <span role="gridcell" class="number wide" title={`${trace.total_tokens} tokens`}>
      {trace.total_tokens === 0 ? "–" : count(trace.total_tokens)}
    </span>
    <span role="gridcell" class="number wide">
      {trace.total_cost === 0 ? "–" : dollars(trace.total_cost)}
    </span>
    <span role="gridcell" class="user wide" dir="auto">
      {trace.user_id ?? ""}
    </span>
    <span role="gridcell" class="number when">
      <Instant at={trace.started_at} />
    </span>
  </div>
);

/** What is happening, and what of it is bad? */
export const TracesPage = () => {
  const filters = filtersIn(place.value.query);
  const key = JSON.stringify(filters);
  const { total, at, error, isLoading, need, again } = usePages<TraceListItem>(
    (limit, offset, signal) =>
      client.value.listTraces({ query: { ...filters, include: ["scores"], limit, offset } }, { signal }),
    key,
    notice,
  );
  const on = useSignal(0);
  const chosen = useSignal<ReadonlyMap<string, TraceListItem>>(new Map());
  useEffect(() => {
    [on.value, chosen.value] = [0, new Map()];
  }, [key]);
  const choose = (trace: TraceListItem): void => {
    const next = new Map(chosen.value);
    if (!next.delete(trace.trace_id)) next.set(trace.trace_id, trace);
    chosen.value = next;
  };
  const find = useRef<HTMLInputElement>(null);
  const current = at(on.value);
  useKeys({
    j: () => (on.value = Math.min(on.value + 1, Math.max(0, (total ?? 1) - 1))),
    k: () => (on.value = Math.max(on.value - 1, 0)),
    Enter: () => current !== undefined && goTo(hrefTo("traces", current.trace_id, place.value.query)),
    x: () => current !== undefined && choose(current),
    "/": () => find.current?.focus(),
  });
  return (
    <main class="traces">
      <h1 class="unseen">Traces</h1>
      <Strip filters={filters} />
      <Filters find={find} />
      <p class="said">
        <span aria-live="polite">{total === null ? "Looking for traces …" : plural(total, "trace")}</span>
        {isLoading && total !== null && <span class="faint"> · loading …</span>}
        <span class="faint keys"> · j k move · Enter opens · x selects · / finds</span>
      </p>
      <Selection chosen={[...chosen.value.values()]} clear={() => (chosen.value = new Map())} changed={again} />
      {error !== null && <Trouble error={error} again={again} />}
      {total === 0 && error === null && <NoTraces isFiltered={Object.keys(filters).length > 0} />}
      {total !== null && total > 0 && (
        <Rows
          count={total}
          height={height}
          label="Traces"
          role="treegrid"
          inView={on.value}
          row={(index) => {
            need(index);
            const trace = at(index);
            return trace === undefined ? (
              <div class="row waiting" key={`w${index}`} role="row" />
            ) : (
              <Row
                key={trace.trace_id}
                trace={trace}
                isOn={index === on.value}
                isChosen={chosen.value.has(trace.trace_id)}
                choose={() => choose(trace)}
              />
            );
          }}
        />
      )}
    </main>
  );
};
