import type { ComponentChildren } from "preact";
import { count, dollars, duration } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";
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
  width: "82px",
  phoneWidth: "70px",
  class: "number",
  sortBy: "latency",
  cell: (item) => duration(durationOf(item)),
});

/** Columns of tokens and cost. */
export const usageColumns = {
  tokens: {
    title: "Tokens",
    width: "64px",
    class: "number",
    sortBy: "tokens",
    cell: ({ total_tokens: tokens }) => (tokens === 0 ? "–" : count(tokens)),
    tooltip: ({ total_tokens: tokens }) => `${tokens} tokens`,
  },
  cost: {
    title: "Cost",
    width: "84px",
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
  width: "104px",
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
  width: "minmax(0, 96px)",
  class: "user",
  cell: (item) => <span dir="auto">{textOf(item) ?? ""}</span>,
});
