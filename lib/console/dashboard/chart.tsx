import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { shortTime } from "../format.ts";
import { trackRequest } from "../in-flight.ts";
import { ChartTable, figureText, type ChartSeries } from "./chart-table.tsx";
import { openWindow } from "./window-select.tsx";

const noRange = [0, 0] as const;

/** Chart over time, drawn by code that is loaded with the first one, with its figures as text and as a table. */
export const Chart = ({
  title,
  times,
  step,
  series,
  range = noRange,
  hrefOf,
}: {
  readonly title: string;
  /** Starts of the buckets, epoch milliseconds. */
  readonly times: readonly number[];
  /** Length of a bucket, milliseconds. */
  readonly step: number;
  readonly series: readonly ChartSeries[];
  /** Smallest range of the vertical axis. */
  readonly range?: readonly [min: number, max: number];
  /** Returns the link of a bucket with this start and end, ISO 8601. */
  readonly hrefOf: (from: string, until: string) => string;
}) => {
  const [plotElement, keys] = [useRef<HTMLDivElement>(null), useRef<HTMLElement>(null)];
  const [index, hasFailed] = [useSignal<number | null>(null), useSignal(false)];
  const drawn = series.flatMap(({ kind, ...each }) => (kind === null ? [] : [{ kind, ...each }]));
  const [first] = drawn;
  useEffect(() => {
    let erase: (() => void) | null = null;
    let isMounted = true;
    const styleOf = (selector: string) => getComputedStyle(keys.current?.querySelector(selector) ?? document.body);
    const draw = async (): Promise<void> => {
      try {
        const { drawPlot } = await import("./plot.ts");
        if (!isMounted || plotElement.current === null) return;
        erase = drawPlot(
          plotElement.current,
          { times, step, series: drawn, range, format: first?.format ?? String },
          {
            colorOf: (at) => styleOf(`.tone-${drawn[at]?.tone}`).color,
            axisColor: () => styleOf(".axes").color,
            gridColor: () => styleOf(".axes").borderTopColor,
            onPoint: (at) => (index.value = at),
            onDrag: (from, to) => openWindow(new Date(from).toISOString(), new Date(to).toISOString()),
          },
        );
      } catch (error) {
        hasFailed.value = true;
        reportError(error);
      }
    };
    void trackRequest(draw());
    return () => {
      isMounted = false;
      erase?.();
    };
  }, [JSON.stringify([times, drawn])]);
  const textAt = (at: number): string =>
    series.map(({ title: name, values, format }) => `${name} ${figureText(values[at] ?? null, format)}`).join(", ");
  const shownTime = index.value === null ? undefined : times[index.value];
  return (
    <figure class="multiple dashboard-chart" ref={keys}>
      <figcaption>
        <h2>{title}</h2>
        <span class="legend faint">
          {drawn.map(({ title: name, tone }, at) =>
            drawn[at - 1]?.tone === tone ? null : (
              <span key={name}>
                <span class={`key tone-${tone}`} /> {tone === "band" ? "95 % interval" : name}
              </span>
            ),
          )}
        </span>
      </figcaption>
      <div class="axes plot" ref={plotElement} aria-hidden="true" />
      <p class="readout faint" aria-hidden="true">
        {hasFailed.value && "The chart could not be loaded: reload the console. "}
        {shownTime === undefined ? "\u{a0}" : `${shortTime(shownTime)}: ${textAt(index.value ?? 0)}`}
      </p>
      <ChartTable title={title} times={times} step={step} series={series} hrefOf={hrefOf} />
    </figure>
  );
};
