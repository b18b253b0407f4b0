import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { shortTime } from "../format.ts";
import { navigate } from "../route.ts";
import { ChartTable, figureText, type TimedFigures } from "./chart-table.tsx";
import { drawPlot } from "./plot.ts";

/** How a chart is named, drawn and used. */
export interface ViewOptions {
  readonly title: string;
  /** Accessible name of the drawing, shown while no bucket is pointed at; the title by default, not shown. */
  readonly description?: string;
  /** Smallest range of the vertical axis; null for that of the values. */
  readonly range: readonly [min: number, max: number] | null;
  /** Called with the range that a user dragged over, ISO 8601; its link is opened by default. */
  readonly onDrag?: (from: string, until: string) => void;
}

/** Legend, drawing, text of the bucket that is pointed at, and table of a chart. */
export const ChartView = ({ title, description, range, onDrag, ...figures }: TimedFigures & ViewOptions) => {
  const { times, step, series, namedBy = "from", hrefOf } = figures;
  // Marks repeat a figure of a line.
  const textSeries = series.filter(({ kind }) => kind !== "points");
  const plotElement = useRef<HTMLDivElement>(null);
  const index = useSignal<number | null>(null);
  const drawn = series.flatMap(({ kind, values, ...each }) =>
    kind === null ? [] : [{ ...each, kind, values: values.map((value) => (typeof value === "number" ? value : null)) }],
  );
  const open = (from: string, until: string): void => {
    if (hrefOf !== undefined) navigate(hrefOf(from, until));
  };
  // A chart is drawn once for its values, and calls what its last rendering was given.
  const actions = useRef({ open, drag: onDrag ?? open });
  actions.current = { open, drag: onDrag ?? open };
  useEffect(() => {
    const { current: element } = plotElement;
    if (element === null) return undefined;
    const keyStyle = (at: number) =>
      getComputedStyle(element.parentElement?.querySelector(`.key.tone-${drawn[at]?.tone}`) ?? element);
    return drawPlot(
      element,
      { times, step, series: drawn, range, format: drawn[0]?.format ?? String },
      {
        lineColor: (at) => keyStyle(at).color,
        fillColor: (at) => keyStyle(at).backgroundColor,
        axisColor: () => getComputedStyle(element).color,
        gridColor: () => getComputedStyle(element).borderTopColor,
        onPoint: (at) => (index.value = at),
        onSelect: (first, last, isDrag) => {
          const [from, until] = [times[first] ?? 0, (times[last] ?? 0) + step];
          actions.current[isDrag ? "drag" : "open"](new Date(from).toISOString(), new Date(until).toISOString());
        },
      },
    );
  }, [JSON.stringify([times, drawn, range])]);
  const shownTime = index.value === null ? undefined : times[index.value];
  const textAt = (time: number, at: number): string =>
    `${shortTime(namedBy === "from" ? time : time + step)}: ${textSeries
      .map((each) => `${each.title} ${figureText(each, at)}`)
      .join(", ")}`;
  return (
    <>
      <span class="legend faint">
        {drawn.map(({ title: name, legend, tone, kind }, at) =>
          drawn[at - 1]?.tone === tone ? null : (
            <span key={name}>
              <span class={`key tone-${tone} as-${kind}`} /> {legend ?? name}
            </span>
          ),
        )}
      </span>
      <div
        class={hrefOf === undefined ? "plot" : "plot linked"}
        ref={plotElement}
        role="img"
        aria-label={description ?? title}
      />
      <div class="foot">
        <p class="readout faint" aria-hidden="true">
          {shownTime === undefined ? (description ?? "\u{a0}") : textAt(shownTime, index.value ?? 0)}
        </p>
        <ChartTable title={title} {...figures} series={textSeries} />
      </div>
    </>
  );
};
