import { shortTime } from "../format.ts";
import { WideTable } from "../parts/wide-table.tsx";
import type { PlotSeries } from "./plot.ts";

/** A column of figures over time, drawn if it has a kind. */
export interface ChartSeries {
  readonly title: string;
  /** How it is drawn; null for a column of the table only. */
  readonly kind: PlotSeries["kind"] | null;
  readonly tone: "link" | "bar" | "bad" | "fair" | "band";
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
}

/** Formats a figure; a dash for null. */
export const figureText = (value: number | null, format: (value: number) => string): string =>
  value === null ? "–" : format(value);

/** Table with the figures of a chart, folded; times without figures are left out. */
export const ChartTable = ({
  title,
  times,
  step,
  series,
  hrefOf,
}: {
  readonly title: string;
  readonly times: readonly number[];
  readonly step: number;
  readonly series: readonly ChartSeries[];
  readonly hrefOf: (from: string, until: string) => string;
}) => (
  <details>
    <summary>Figures as a table</summary>
    <WideTable label={`${title}, figures`}>
      <thead>
        <tr>
          <th scope="col">from</th>
          {series.map(({ title: name }) => (
            <th scope="col" class="number" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) =>
          series.every(({ values }) => (values[at] ?? null) === null) ? null : (
            <tr key={time}>
              <th scope="row">
                <a href={hrefOf(new Date(time).toISOString(), new Date(time + step).toISOString())}>
                  {shortTime(time)}
                </a>
              </th>
              {series.map(({ title: name, values, format }) => (
                <td class="number" key={name} title={String(values[at] ?? "")}>
                  {figureText(values[at] ?? null, format)}
                </td>
              ))}
            </tr>
          ),
        )}
      </tbody>
    </WideTable>
  </details>
);
