import type { ComponentChildren } from "preact";
import type { ChartSeries, TimedFigures } from "./chart-table.tsx";
import type { ViewOptions } from "./chart-view.tsx";
import { lazyPart } from "./lazy.tsx";

/** A figure of the points of a chart. */
interface PointSeries<Point> extends Omit<ChartSeries, "values"> {
  readonly valueOf: (point: Point) => number | string | null;
}

/** What a chart shows of points over time. */
export interface ChartOptions<Point> extends Omit<TimedFigures, "series">, ViewOptions {
  /** Point of each time; undefined where there is none. */
  readonly points: readonly (Point | undefined)[];
  readonly series: readonly PointSeries<Point>[];
}

const LazyView = lazyPart(
  async () => (await import("./chart-view.tsx")).ChartView,
  undefined,
  <div class="plot lines-of-text" aria-hidden="true" />,
);

/**
 * Chart over time, drawn by code that is loaded with the first one, with its figures as text and as a table. A click opens
 * the link of a bucket; dragging selects whole buckets.
 */
export const Chart = <Point,>({
  class: className,
  points,
  series,
  children,
  ...options
}: ChartOptions<Point> & {
  readonly class: string;
  /** Heading or buttons beside the legend. */
  readonly children?: ComponentChildren;
}) => (
  <figure class={`chart ${className}`}>
    {children}
    <LazyView
      {...options}
      series={series.map(({ valueOf, ...each }) => ({
        ...each,
        values: points.map((point) => (point === undefined ? null : valueOf(point))),
      }))}
    />
  </figure>
);
