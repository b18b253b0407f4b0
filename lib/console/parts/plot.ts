import uPlot from "uplot";
import { axisText } from "../format.ts";

/** One line or row of bars of a chart. */
export interface PlotSeries {
  /** `edge`: upper and lower end, in this order, of the intervals behind the lines; `points`: marks above the lines. */
  readonly kind: "bars" | "line" | "dashed" | "edge" | "points";
  /** True for values of another unit than the vertical axis has. */
  readonly hasOwnScale?: boolean;
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
  /** Smallest range of the values; null for that of the values. */
  readonly range: readonly [min: number, max: number] | null;
}

/** Where a chart reads its colors as it is painted, and reports what a user points at. */
export interface PlotHost {
  /** Colors of a series, of the axes, and of the lines behind the series, in any form that a canvas takes. */
  readonly lineColor: (series: number) => string;
  readonly fillColor: (series: number) => string;
  readonly axisColor: () => string;
  readonly gridColor: () => string;
  /** Called with the index of the time under the pointer; null outside. */
  readonly onPoint: (index: number | null) => void;
  /** Called with the indexes of the first and last time that a user dragged over, or of the time that was clicked. */
  readonly onSelect: (first: number, last: number, isDrag: boolean) => void;
}

/** Shortest drag, in pixels, that selects a range. */
const minDrag = 8;

const day = 86_400_000;

const formats = {
  time: new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  date: new Intl.DateTimeFormat("en", { month: "short", day: "numeric" }),
  month: new Intl.DateTimeFormat("en", { month: "short", year: "numeric" }),
};

/** Formats an instant of an axis in the local time zone. @param length milliseconds of the axis. @param gap those between two instants. */
const instantText = (at: number, length: number, gap: number): string => {
  if (length > 300 * day) return formats.month.format(at);
  return gap >= day || new Date(at).getHours() === 0 ? formats.date.format(at) : formats.time.format(at);
};

/** Indexes of values without a neighbour, which no line shows. */
const isolated = (values: PlotSeries["values"]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  );

/** Values as uPlot draws them: a bar of no height would have a line at its end. */
const drawnValues = ({ kind, values }: PlotSeries): (number | null)[] =>
  values.map((value) => (kind === "bars" && value === 0 ? null : value));

const seriesOf = ({ kind, values, hasOwnScale = false }: PlotSeries, index: number, host: PlotHost): uPlot.Series => {
  const bars = kind === "bars" ? uPlot.paths.bars?.({ size: [0.7, 40], gap: 1 }) : undefined;
  const isLine = kind === "line" || kind === "dashed";
  const [stroke, fill] = [() => host.lineColor(index), () => host.fillColor(index)];
  return {
    scale: hasOwnScale ? "own" : "y",
    stroke: kind === "edge" ? "transparent" : stroke,
    width: isLine ? 2 : kind === "bars" ? 1 : 0,
    ...(kind === "dashed" && { dash: [6, 4] }),
    ...(bars !== undefined && { fill, paths: bars }),
    ...(kind === "points" && { paths: () => null }),
    points:
      isLine || kind === "points"
        ? { size: kind === "points" ? 9 : 6, fill: stroke, ...(isLine && { filter: () => isolated(values) }) }
        : { show: false },
  };
};

/** Range of an axis, with some space above the largest value. */
const axisRange = (min: number, max: number): [number, number] => [min, max > min ? max + (max - min) * 0.05 : min + 1];

/** Steps of an axis of whole numbers: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** power)).flat();

/** Draws intervals without a neighbour, between which no band lies, as columns. */
const drawIsolated =
  (upper: number, lower: number, values: PlotSeries["values"], color: () => string) =>
  (self: uPlot): void => {
    const { ctx, data } = self;
    ctx.fillStyle = color();
    for (const at of isolated(values)) {
      const [top, bottom] = [upper, lower].map((each) => self.valToPos(data[each]?.[at] ?? 0, "y", true));
      const size = 8 * devicePixelRatio;
      ctx.fillRect(self.valToPos(data[0][at] ?? 0, "x", true) - size / 2, top ?? 0, size, (bottom ?? 0) - (top ?? 0));
    }
  };

/** Draws a chart into an element, in its size, until the returned function is called. */
export const drawPlot = (element: HTMLElement, plot: Plot, host: PlotHost): (() => void) => {
  const { times, step, series, format, range } = plot;
  const [from, to] = [times[0] ?? 0, (times.at(-1) ?? 0) + step];
  const isLow = element.clientHeight < 80;
  const axis = {
    stroke: host.axisColor,
    grid: { stroke: host.gridColor, width: 1 },
    ticks: { stroke: host.gridColor, size: 4 },
  };
  const isWhole = series.every(
    ({ kind, hasOwnScale = false, values }) =>
      hasOwnScale || (kind === "bars" && values.every((value) => Number.isInteger(value ?? 0))),
  );
  const [upper, lower] = series.flatMap(({ kind }, index) => (kind === "edge" ? [index + 1] : []));
  const hasBand = upper !== undefined && lower !== undefined;
  const bandColor = (): string => host.fillColor((upper ?? 1) - 1);
  /** Index of the bucket with an instant in seconds. */
  const bucketAt = (instant: number): number =>
    Math.max(
      0,
      times.findLastIndex((time) => time < instant * 1_000),
    );
  const sizeOf = () => ({ width: element.clientWidth, height: element.clientHeight });
  const chart = new uPlot(
    {
      ...sizeOf(),
      // Half of the last date, which may be at the end of the axis.
      padding: isLow ? [2, null, 0, null] : [6, 22, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false } },
      scales: {
        x: { range: [from / 1_000, to / 1_000] },
        y: {
          range: (_, min, max) =>
            range === null
              ? axisRange(min ?? 0, max ?? 0)
              : axisRange(Math.min(range[0], min ?? 0), Math.max(range[1], max ?? 0)),
        },
        own: { range: (_, __, max) => axisRange(0, max ?? 0) },
      },
      axes: [
        {
          ...axis,
          size: isLow ? 18 : 26,
          gap: 2,
          values: (_, values, __, ___, gap) =>
            values.map((value) => instantText(value * 1_000, to - from, gap * 1_000)),
        },
        {
          ...axis,
          space: 24,
          gap: 2,
          size: (_, texts) => 12 + 7 * Math.max(2, ...(texts ?? []).map(({ length }) => length)),
          values: (_, values, __, ___, gap) => values.map((value) => axisText(format, value, gap)),
          ...(isWhole && { incrs: wholeSteps }),
        },
      ],
      series: [{}, ...series.map((each, index) => seriesOf(each, index, host))],
      ...(hasBand && { bands: [{ series: [upper, lower], fill: bandColor }] }),
      hooks: {
        ...(hasBand && { drawAxes: [drawIsolated(upper, lower, series[upper - 1]?.values ?? [], bandColor)] }),
        setCursor: [({ cursor: { idx } }) => host.onPoint(idx ?? null)],
        setSelect: [
          (self) => {
            const { left: start, width } = self.select;
            if (width === 0) return;
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            const [first, last] = [start, start + width].map((position) => bucketAt(self.posToVal(position, "x")));
            host.onSelect(first ?? 0, last ?? 0, width >= minDrag);
          },
        ],
      },
    },
    // A value is in the middle of its bucket.
    [times.map((time) => (time + step / 2) / 1_000), ...series.map(drawnValues)],
    element,
  );
  chart.over.addEventListener("click", () => {
    const { idx } = chart.cursor;
    if (idx != null) host.onSelect(idx, idx, false);
  });
  const sizes = new ResizeObserver(() => chart.setSize(sizeOf()));
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
