import uPlot from "uplot";

/** One line or row of bars of a chart. */
export interface PlotSeries {
  readonly kind: "bars" | "line" | "dashed" | "edge";
  /** Value of each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** A chart over time. */
export interface Plot {
  /** Starts of the buckets, epoch milliseconds, ascending. */
  readonly times: readonly number[];
  /** Length of a bucket, milliseconds. */
  readonly step: number;
  readonly series: readonly PlotSeries[];
  readonly format: (value: number) => string;
  /** Smallest range of the values. */
  readonly range: readonly [min: number, max: number];
}

/** Where a chart reads its colors as it is painted, and reports what a user points at. */
export interface PlotHost {
  /** Color of a series, of the axes, and of the lines behind the series, in any form that a canvas takes. */
  readonly colorOf: (series: number) => string;
  readonly axisColor: () => string;
  readonly gridColor: () => string;
  /** Called with the index of the time under the pointer; null outside. */
  readonly onPoint: (index: number | null) => void;
  /** Called with two times that a user dragged between, epoch milliseconds. */
  readonly onDrag: (from: number, to: number) => void;
}

const height = 170;

/** Shortest drag, in pixels, that selects a range. */
const minDrag = 8;

const day = 86_400_000;

const formats = {
  time: new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  date: new Intl.DateTimeFormat("en", { month: "short", day: "numeric" }),
  month: new Intl.DateTimeFormat("en", { month: "short", year: "numeric" }),
};

/** Returns a formatter of instants on an axis of a length in milliseconds, in the local time zone. */
const instantFormat = (length: number) => (at: number) => {
  if (length > 300 * day) return formats.month.format(at);
  return length > 3 * day || new Date(at).getHours() === 0 ? formats.date.format(at) : formats.time.format(at);
};

/** Indexes of values without a neighbour, which no line shows. */
const isolated = (values: PlotSeries["values"]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  );

const seriesOf = ({ kind, values }: PlotSeries, index: number, { colorOf }: PlotHost): uPlot.Series => {
  const bars = kind === "bars" ? uPlot.paths.bars?.({ size: [0.7, 40], gap: 1 }) : undefined;
  const isLine = kind === "line" || kind === "dashed";
  const color = (): string => colorOf(index);
  return {
    stroke: kind === "edge" ? "transparent" : color,
    width: isLine ? 2 : 0,
    ...(kind === "dashed" && { dash: [6, 4] }),
    ...(bars !== undefined && { fill: color, paths: bars }),
    points: isLine ? { size: 6, fill: color, filter: () => isolated(values) } : { show: false },
  };
};

/** Range of the vertical axis, with some space above the largest value. */
const axisRange = (min: number, max: number): [number, number] => [min, max > min ? max + (max - min) * 0.05 : min + 1];

/** Draws a chart into an element, as wide as that, until the returned function is called. */
export const drawPlot = (element: HTMLElement, plot: Plot, host: PlotHost): (() => void) => {
  const { times, step, series, format, range } = plot;
  const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + step];
  const textOf = instantFormat(to - from);
  const axis = {
    stroke: host.axisColor,
    grid: { stroke: host.gridColor, width: 1 },
    ticks: { stroke: host.gridColor },
  };
  const edges = series.flatMap(({ kind }, index) => (kind === "edge" ? [index + 1] : []));
  const [upper, lower] = edges;
  const chart = new uPlot(
    {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false } },
      scales: {
        x: { range: [from / 1_000, to / 1_000] },
        y: { range: (_, min, max) => axisRange(Math.min(range[0], min ?? 0), Math.max(range[1], max ?? 0)) },
      },
      axes: [
        { ...axis, size: 30, values: (_, values) => values.map((value) => textOf(value * 1_000)) },
        { ...axis, size: 72, values: (_, values) => values.map(format) },
      ],
      series: [{}, ...series.map((each, index) => seriesOf(each, index, host))],
      ...(upper !== undefined &&
        lower !== undefined && { bands: [{ series: [upper, lower], fill: () => host.colorOf(upper - 1) }] }),
      hooks: {
        setCursor: [({ cursor: { idx } }) => host.onPoint(idx ?? null)],
        setSelect: [
          (self) => {
            const { select } = self;
            if (select.width < minDrag) return;
            const [from, to] = [select.left, select.left + select.width].map((position) =>
              self.posToVal(position, "x"),
            );
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            host.onDrag((from ?? 0) * 1_000, (to ?? 0) * 1_000);
          },
        ],
      },
    },
    // A value is in the middle of its bucket.
    [times.map((time) => (time + step / 2) / 1_000), ...series.map(({ values }) => values.slice())],
    element,
  );
  const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
  sizes.observe(element);
  // Shapes of bars have their colors, so they are built again.
  const redraw = (): void => chart.redraw();
  // A change of the theme: by the system, or by an attribute of the document.
  const schemes = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
  for (const scheme of schemes) scheme.addEventListener("change", redraw);
  const attributes = new MutationObserver(redraw);
  attributes.observe(document.documentElement, { attributes: true });
  return () => {
    sizes.disconnect();
    attributes.disconnect();
    for (const scheme of schemes) scheme.removeEventListener("change", redraw);
    chart.destroy();
  };
};
