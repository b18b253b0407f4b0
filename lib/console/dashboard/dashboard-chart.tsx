import { Chart, type ChartOptions } from "../parts/chart.tsx";
import { hrefTo, navigate, route } from "../route.ts";

/** Opens the dashboard for two instants, with a new entry of the history. */
const openWindow = (started_after: string, started_before: string): void => {
  const { page, id, query } = route.value;
  navigate(hrefTo(page, id, { ...query, range: "custom", started_after, started_before }));
};

/** Titled chart in which dragging selects the dashboard's window of time. */
export const DashboardChart = <Point,>(options: ChartOptions<Point>) => (
  <Chart {...options} class="multiple dashboard-chart" onDrag={openWindow}>
    <h2>{options.title}</h2>
  </Chart>
);
