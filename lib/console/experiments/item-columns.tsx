import type { TableColumn } from "../parts/wide-table.tsx";
import { hrefTo } from "../route.ts";
import { points } from "../trends/comparison.tsx";
import { differenceOf, type PairedItem, valueOf } from "./rows.ts";

const itemColumn: TableColumn<PairedItem> = [
  "item",
  ({ title, input }) => (
    <span class="clipped" dir="auto" title={`${title} ${input}`}>
      {title} <span class="faint">{input}</span>
    </span>
  ),
];

const valueText = (value: number | string): string => (typeof value === "number" ? value.toFixed(2) : value);

/** Column with the values of a metric on both sides, and their difference. */
const metricColumn = (metric: string): TableColumn<PairedItem> => [
  <span dir="auto">{metric.replaceAll("_", " ")}</span>,
  (row) => {
    const [before, after] = [row.baseline, row.candidate].map((side) => valueText(valueOf(side, metric)));
    const difference = Number((differenceOf(row, metric) ?? 0).toFixed(2));
    return (
      <>
        {(before === after ? before : `${before} → ${after} `)?.replaceAll(" ", "\u{a0}")}
        {difference !== 0 && <b class={difference < 0 ? "bad" : "status good"}>{points(difference, 2)}</b>}
      </>
    );
  },
];

/** Column with links to the traces of a side, of which repeats are numbered. */
const tracesColumn = (side: "baseline" | "candidate", head: string = side): TableColumn<PairedItem> => [
  head,
  (row) => (
    <span class="buttons">
      {row[side].map(({ trace_id: id, has_failed: hasFailed }, at) => (
        <a key={id} href={hrefTo("traces", id)} class={hasFailed ? "bad" : undefined}>
          {`${hasFailed ? "✕ " : ""}trace${at === 0 ? "" : ` ${at + 1}`}`}
        </a>
      ))}
    </span>
  ),
];

const bothColumn: TableColumn<PairedItem> = [
  "both",
  ({ baseline: [before], candidate: [after] }) =>
    before &&
    after && <a href={hrefTo("traces", before.trace_id, { beside: after.trace_id })}>{"side\u{a0}by\u{a0}side"}</a>,
];

/** Returns the columns of the table of items: their metrics and links to their traces. */
export const columnsOfItems = (
  metrics: readonly string[],
  hasBaseline: boolean,
): readonly TableColumn<PairedItem>[] => [
  itemColumn,
  ...metrics.map(metricColumn),
  ...(hasBaseline ? [tracesColumn("baseline")] : []),
  tracesColumn("candidate"),
  ...(hasBaseline ? [bothColumn] : []),
];
