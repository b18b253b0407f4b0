import { shortTime } from "../format.ts";
import type { PlotSeries } from "./plot.ts";
import { WideTable } from "./wide-table.tsx";

/** Figures over time: drawn if they have a kind, else a column of the table only. */
export interface ChartSeries {
  readonly title: string;
  /** Name of all series of this tone in the legend; the title by default. */
  readonly legend?: string;
  readonly kind: PlotSeries["kind"] | null;
  readonly tone: "link" | "bar" | "bad" | "fair" | "band";
  readonly hasOwnScale?: boolean;
  readonly format: (value: number) => string;
  readonly values: readonly (number | string | null)[];
}

/** Figures of buckets of time. */
export interface TimedFigures {
  /** Starts of the buckets, epoch milliseconds, ascending. */
  readonly times: readonly number[];
  /** Length of a bucket, milliseconds. */
  readonly step: number;
  readonly series: readonly ChartSeries[];
  /** End of a bucket by which it is named; its start by default. */
  readonly namedBy?: "from" | "until";
  /** Returns the link of a range with this start and end, ISO 8601. */
  readonly hrefOf?: (from: string, until: string) => string;
}

/** Formats a figure of a bucket; a dash for none. */
export const figureText = ({ values, format }: ChartSeries, at: number): string => {
  const value = values[at] ?? null;
  return typeof value === "number" ? format(value) : (value ?? "–");
};

/** Table with the figures of a chart, folded; times without figures are left out. */
export const ChartTable = ({
  title,
  times,
  step,
  series,
  namedBy = "from",
  hrefOf,
}: TimedFigures & { readonly title: string }) => (
  <details>
    <summary>Figures as a table</summary>
    <WideTable label={`${title}, figures`}>
      <thead>
        <tr>
          <th scope="col">{namedBy}</th>
          {series.map(({ title: name }) => (
            <th scope="col" class="number" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, at) => {
          if (series.every(({ values }) => (values[at] ?? null) === null)) return null;
          const text = shortTime(namedBy === "from" ? time : time + step);
          const href = hrefOf?.(new Date(time).toISOString(), new Date(time + step).toISOString());
          return (
            <tr key={time}>
              <th scope="row" title={new Date(namedBy === "from" ? time : time + step).toISOString()}>
                {href === undefined ? text : <a href={href}>{text}</a>}
              </th>
              {series.map((each) => (
                <td class="number" key={each.title} title={String(each.values[at] ?? "")}>
                  {figureText(each, at)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  </details>
);
