import type { ComponentChildren } from "preact";
import type { TraceListItem } from "../../client/interface.ts";
import { count, dollars, duration } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { chipsWidth, ScoreChips } from "../traces/score-chips.tsx";
import type { Column } from "./list-kind.ts";

interface Usage {
  readonly total_tokens: number;
  readonly total_cost: number;
  readonly unpriced_tokens: number;
}

/** Link to an item, which a click without a modifier key leaves to its row. */
export const ItemLink = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a
    href={href}
    tabIndex={-1}
    dir="auto"
    onClick={(event) => {
      if (!event.ctrlKey && !event.metaKey) event.preventDefault();
    }}
  >
    {children}
  </a>
);

/** Column of durations in milliseconds. */
export const durationColumn = <Item,>(durationOf: (item: Item) => number | null): Column<Item> => ({
  title: "Duration",
  width: "72px",
  phoneWidth: "70px",
  class: "number",
  sortBy: "latency",
  cell: (item) => duration(durationOf(item)),
});

/** Columns of tokens and cost. */
export const usageColumns = {
  tokens: {
    title: "Tokens",
    width: "56px",
    class: "number",
    sortBy: "tokens",
    cell: ({ total_tokens: tokens }) => (tokens === 0 ? "–" : count(tokens)),
    tooltip: ({ total_tokens: tokens }) => `${tokens} tokens`,
  },
  cost: {
    title: "Cost",
    width: "72px",
    class: "number",
    sortBy: "cost",
    cell: ({ total_cost: cost, unpriced_tokens: unpriced }) =>
      cost === 0 ? (unpriced > 0 ? "?" : "–") : dollars(cost),
    tooltip: ({ unpriced_tokens: unpriced }) => (unpriced > 0 ? `${unpriced} tokens without a price` : ""),
  },
} as const satisfies Readonly<Record<string, Column<Usage>>>;

/** Column of counts. */
export const countColumn = <Item,>(title: string, sortBy: string, countOf: (item: Item) => number): Column<Item> => ({
  title,
  width: "64px",
  class: "number",
  sortBy,
  cell: (item) => count(countOf(item)),
});

/** Column of instants. @param sortBy sort column of the API; null if the API cannot sort by these instants. */
export const instantColumn = <Item,>(
  title: string,
  sortBy: string | null,
  instantOf: (item: Item) => string | null,
): Column<Item> => ({
  title,
  width: "96px",
  phoneWidth: "62px",
  class: "number when",
  ...(sortBy !== null && { sortBy }),
  cell: (item) => {
    const at = instantOf(item);
    return at === null ? "–" : <LocalTime at={at} />;
  },
});

/** Column of texts, empty for null. */
export const textColumn = <Item,>(title: string, textOf: (item: Item) => string | null): Column<Item> => ({
  title,
  width: "minmax(0, 84px)",
  class: "user",
  cell: (item) => <span dir="auto">{textOf(item) ?? ""}</span>,
});

/** Column of scores. */
export const scoresColumn: Column<Pick<TraceListItem, "scores">> = {
  title: "Scores",
  width: "minmax(0, 282px)",
  widthOf: (items) => `minmax(48px, ${Math.max(0, ...items.map(({ scores }) => chipsWidth(scores ?? [])))}ch)`,
  cell: ({ scores }) => <ScoreChips scores={scores ?? []} />,
};

/** Column of names, in the space that others leave. */
export const nameColumn = { width: "minmax(18ch, 4fr)", phoneWidth: "minmax(0, 1fr)", class: "name" } as const;

/** Column of states, without a visible title. */
export const stateColumn = { width: "18px", phoneWidth: "14px", isUntitled: true } as const;

interface Totals extends Usage {
  readonly trace_count: number;
  readonly total_latency_ms: number | null;
}

/** Columns of the totals of an item's traces, and the titles of descending orders by them. */
export const totals = {
  traces: countColumn<Totals>("Traces", "trace_count", ({ trace_count: traces }) => traces),
  columns: {
    duration: durationColumn<Totals>(({ total_latency_ms: latency }) => latency),
    ...usageColumns,
    cost: { ...usageColumns.cost, phoneWidth: "62px" },
  },
  orders: {
    cost: "most expensive first",
    latency: "slowest first",
    tokens: "most tokens first",
    trace_count: "most traces first",
    errors: "most failed traces first",
  },
} as const;

/** Returns the name and the link of items that are called by their id. */
export const namedById = <Item,>(page: string, idOf: (item: Item) => string) => ({
  idOf,
  nameOf: idOf,
  hrefOf: (item: Item): string => hrefTo(page, idOf(item)),
});
